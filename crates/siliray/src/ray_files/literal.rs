//! The Python literals of a `.npy` header: strings, whole numbers, True, False, None, tuples, lists
//! and dictionaries. Nesting is limited, so that no header can exhaust the stack.

/// Deepest nesting; NumPy's own headers need four.
const MAX_DEPTH: usize = 16;

/// A literal and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Literal {
    pub(super) offset: usize,
    pub(super) value: Value,
}

/// What a literal stands for. Tuples and lists are not told apart: NumPy does not mind either.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(u64),
    Truth(bool),
    Nothing,
    List(Vec<Literal>),
    Table(Vec<(Literal, Literal)>),
}

/// Where a literal is wrong, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) offset: usize,
    pub(super) message: String,
}

/// The one literal that `text` is, but for white space around it.
pub(super) fn parse(text: &[u8]) -> Result<Literal, Mistake> {
    let mut parser = Parser { text, place: 0 };
    let literal = parser.literal(0)?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(literal),
        Some(_) => Err(parser.mistake("expected the end of the header")),
    }
}

struct Parser<'a> {
    text: &'a [u8],
    place: usize,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Result<Literal, Mistake> {
        self.skip_space();
        if depth > MAX_DEPTH {
            return Err(self.mistake("nested too deeply"));
        }
        let offset = self.place;
        let value = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => self.text(quote)?,
            Some(b'0'..=b'9') => self.number()?,
            Some(b'(') => self.list(b')', depth)?,
            Some(b'[') => self.list(b']', depth)?,
            Some(b'{') => self.table(depth)?,
            Some(b'A'..=b'Z') => self.word()?,
            _ => return Err(self.mistake("expected a Python literal")),
        };
        Ok(Literal { offset, value })
    }

    fn text(&mut self, quote: u8) -> Result<Value, Mistake> {
        self.place += 1;
        let start = self.place;
        loop {
            match self.peek() {
                Some(byte) if byte == quote => break,
                None | Some(b'\\' | b'\n') => {
                    return Err(self.mistake("expected the end of a string"));
                }
                Some(_) => self.place += 1,
            }
        }
        let text = String::from_utf8_lossy(&self.text[start..self.place]).into_owned();
        self.place += 1;
        Ok(Value::Text(text))
    }

    fn number(&mut self) -> Result<Value, Mistake> {
        let start = self.place;
        let mut number = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let next = number.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit - b'0')));
            number = next.ok_or_else(|| Mistake {
                offset: start,
                message: "the number does not fit in 64 bits".to_owned(),
            })?;
            self.place += 1;
        }
        // Python 2 wrote long integers with this letter.
        if self.peek() == Some(b'L') {
            self.place += 1;
        }
        Ok(Value::Number(number))
    }

    fn word(&mut self) -> Result<Value, Mistake> {
        let rest = &self.text[self.place..];
        let known = [
            (&b"True"[..], Value::Truth(true)),
            (b"False", Value::Truth(false)),
            (b"None", Value::Nothing),
        ];
        let found = known.into_iter().find(|(word, _)| rest.starts_with(word));
        let (word, value) = found.ok_or_else(|| self.mistake("expected True, False or None"))?;
        self.place += word.len();
        Ok(value)
    }

    fn list(&mut self, end: u8, depth: usize) -> Result<Value, Mistake> {
        let mut items = Vec::new();
        self.items(end, |parser| {
            items.push(parser.literal(depth + 1)?);
            Ok(())
        })?;
        Ok(Value::List(items))
    }

    fn table(&mut self, depth: usize) -> Result<Value, Mistake> {
        let mut entries = Vec::new();
        self.items(b'}', |parser| {
            let key = parser.literal(depth + 1)?;
            parser.skip_space();
            if parser.peek() != Some(b':') {
                return Err(parser.mistake("expected a colon"));
            }
            parser.place += 1;
            entries.push((key, parser.literal(depth + 1)?));
            Ok(())
        })?;
        Ok(Value::Table(entries))
    }

    /// What stands between the bracket here and `end`, with commas between; a last comma is
    /// allowed.
    fn items(
        &mut self,
        end: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        self.place += 1;
        loop {
            self.skip_space();
            if self.peek() == Some(end) {
                break;
            }
            item(self)?;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.place += 1,
                Some(byte) if byte == end => break,
                _ => {
                    let message = format!("expected a comma or {:?}", char::from(end));
                    return Err(self.mistake(&message));
                }
            }
        }
        self.place += 1;
        Ok(())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.place += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.place).copied()
    }

    fn mistake(&self, expected: &str) -> Mistake {
        let found = match self.peek() {
            Some(byte) => format!("found {:?}", char::from(byte)),
            None => "the header ends".to_owned(),
        };
        Mistake { offset: self.place, message: format!("{found}, {expected}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_numpy() {
        let text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8), }   \n";
        let Value::Table(entries) = parse(text).unwrap().value else { panic!() };
        assert_eq!(entries.len(), 3);
        assert_eq!(entries[0].1, Literal { offset: 10, value: Value::Text("<f4".into()) });
        assert_eq!(entries[1].1.value, Value::Truth(false));
        let Value::List(shape) = &entries[2].1.value else { panic!() };
        assert_eq!(shape[1], Literal { offset: 54, value: Value::Number(8) });
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, offset) in [
            ("", 0),
            ("{'a' 1}", 5),
            ("{'a': 1 'b': 2}", 8),
            ("{'a': 'b", 8),
            ("(1, 2", 5),
            ("(1, 2) 3", 7),
            ("[99999999999999999999]", 1),
            ("[-1]", 1),
            ("[Truth]", 1),
            ("[\x00]", 1),
        ] {
            assert_eq!(
                parse(text.as_bytes()).map_err(|mistake| mistake.offset),
                Err(offset),
                "{text}"
            );
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse(deep.as_bytes()).unwrap_err().offset, MAX_DEPTH + 1);
    }
}

//! Markdown of at most 100 characters a line.

const WIDTH: usize = 100;

/// Says who made a page.
pub(super) const MADE: &str =
    "<!-- Made from the code: TRYCMD=overwrite cargo test -p siliray-cli -->\n\n";

/// Plain text as it stands in help texts, as paragraphs.
pub(super) fn paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| wrapped("", "", &marked(paragraph)));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// An item of a list; `depth` is that of the list.
pub(super) fn item(depth: usize, text: &str) -> String {
    let indent = "  ".repeat(depth);
    wrapped(&format!("{indent}* "), &format!("{indent}  "), text)
}

/// Another paragraph of an item.
pub(super) fn item_paragraph(depth: usize, text: &str) -> String {
    let indent = "  ".repeat(depth + 1);
    format!("\n{}", wrapped(&indent, &indent, text))
}

/// Options and placeholders of a help text as code.
pub(super) fn marked(text: &str) -> String {
    let mut is_code = false;
    let words = text.split_whitespace().map(|word| {
        let was_code = is_code;
        is_code ^= word.matches('`').count() % 2 == 1;
        if was_code || word.contains('`') { word.to_owned() } else { marked_word(word) }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn marked_word(word: &str) -> String {
    let bare = word.trim_matches(|c: char| ",.;:()[]".contains(c));
    if bare.starts_with("--") || bare.contains(['<', '*', '#']) {
        return word.replacen(bare, &format!("`{bare}`"), 1);
    }
    word.to_owned()
}

/// A text with links to the decisions that it cites, as in (G-10).
pub(super) fn with_decisions(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let page = match bare.split_once('-') {
            Some(("B", number)) if is_number(number) => "beam",
            Some(("G", number)) if is_number(number) => "gfx12",
            Some(("R", number)) if is_number(number) => "gfx10",
            Some(("T", number)) if is_number(number) => "ttu",
            Some(("X", number)) if is_number(number) => "xphmg",
            Some(("I", number)) if is_number(number) => "isbe",
            _ => return word.to_owned(),
        };
        let anchor = bare.to_lowercase();
        word.replacen(bare, &format!("[{bare}](../spec/{page}.md#{anchor})"), 1)
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// Words in lines, the first of which begins in another way.
fn wrapped(first: &str, rest: &str, text: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &line;
            lines.push('\n');
            line = rest.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    lines + &line + "\n"
}

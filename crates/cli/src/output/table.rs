//! Tables in plain text.

/// Rows of cells under a header. The first columns are set to the left, the others to the right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    left: usize,
}

impl Table {
    /// An empty table whose first column is set to the left.
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()], left: 1 }
    }

    /// The same with `columns` columns set to the left.
    pub(crate) fn left(self, columns: usize) -> Self {
        Self { left: columns, ..self }
    }

    /// The table without one of the columns that are set to the left.
    pub(crate) fn without(mut self, column: usize) -> Self {
        self.rows.iter_mut().for_each(|row| drop(row.remove(column)));
        Self { left: self.left - 1, ..self }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The text, a line for each row, with a rule under the header.
    pub(crate) fn text(&self) -> String {
        self.set(usize::MAX)
    }

    /// The same with the last column set to the left, for what words say.
    pub(crate) fn text_with_last_left(&self) -> String {
        self.set(self.rows[0].len() - 1)
    }

    /// The text, with the columns from `words` on set to the left.
    fn set(&self, words: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let rule = widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>().join("  ");
        let mut lines: Vec<String> =
            self.rows.iter().map(|row| self.line(row, &widths, words)).collect();
        lines.insert(1, rule);
        lines.join("\n") + "\n"
    }

    fn line(&self, row: &[String], widths: &[usize], words: usize) -> String {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, &width))| {
            let is_left = column < self.left || column >= words;
            if is_left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["preset", "cost"]);
        table.row(vec!["best".into(), "9.1".into()]);
        table.row(vec!["größte".into(), "12345.6".into()]);
        let expected = "preset     cost\n------  -------\nbest        9.1\ngrößte  12345.6\n";
        assert_eq!(table.text(), expected);
    }
}

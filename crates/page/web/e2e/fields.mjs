// The fields of a record as the page shows them, in the shape of `inspect --json`.

/** Every field of the first record; what only the editor says is read by focusing each row. */
export function shownFields(page) {
  return page.evaluate(() => {
    let group = "";
    const rows = document.querySelector(".fields tbody").rows;
    return [...rows].flatMap(row => {
      if (row.classList.contains("group")) {
        group = `${row.textContent}.`;
        return [];
      }
      const [name, value, raw, bits] = [...row.cells].map(cell => cell.textContent);
      row.dispatchEvent(new FocusEvent("focus"));
      const [full, ...words] = [...document.querySelector(".editor-head").children]
        .map(each => each.textContent);
      const [first, last = first] = bits.split("–").map(Number);
      const source = document.querySelector(".editor .source").textContent;
      return [{
        name: full, bits: [first, last + 1], raw, value, meaning: row.title,
        isGrouped: full === name || full === group + name,
        isPeeked: words[1] === raw && words[2] === `= ${value}`,
        hasSource: /^Source: \S/.test(source),
      }];
    });
  });
}

/** The same of a node that `inspect --json` prints. */
export function expectedFields({ fields }) {
  const shown = { isGrouped: true, isPeeked: true, hasSource: true };
  return fields.map(({ name, bits, raw, value, meaning }) =>
    ({ name, bits, raw, value, meaning, ...shown }));
}

// Tables as comma-separated values (RFC 4180).

export function toCsv(titles: readonly string[], rows: Iterable<readonly string[]>): string {
  const lines = [titles.map(cell).join(",")];
  for (const row of rows) lines.push(row.map(cell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

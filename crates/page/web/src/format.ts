// Numbers as people read them.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(value: number): string {
  return grouped.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function ordinal(value: number): string {
  const isTeen = value % 100 > 10 && value % 100 < 14;
  return `${value}${(!isTeen && ["th", "st", "nd", "rd"][value % 10]) || "th"}`;
}

export function bytes(value: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0;
  let rest = value;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[unit]}`;
}

export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const value = share * 100;
  if (value === 0 || value >= 10) return `${Math.round(value)} %`;
  return value < 0.01 ? "<0.01 %" : `${value.toPrecision(2)} %`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

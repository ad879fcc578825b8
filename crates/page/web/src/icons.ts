// Line drawings on a grid of 16.

const drawings = {
  open: "M2 4.5h4l1.5 2H14v6.5H2z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6 13 13"
    + "M3 13l1.4-1.4M11.6 4.4 13 3",
  dark: "M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z",
  system: "M2 3h12v8H2zM6 14h4M8 11v3",
  help: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM6.2 6.2a1.8 1.8 0 1 1 2.8 1.5"
    + "c-.7.5-1 .8-1 1.6M8 11.5v.1",
  save: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  undo: "M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6",
  redo: "M10.5 3l3 3-3 3M13.5 6H6a3.5 3.5 0 0 0 0 7h4",
  link: "M6.5 9.5l3-3M7.2 4.6l1.6-1.6a3 3 0 0 1 4.2 4.2l-1.6 1.6M8.8 11.4 7.2 13A3 3 0 0 1 3 8.8"
    + "l1.6-1.6",
  close: "M4 4l8 8M12 4l-8 8",
  up: "M8 13V3M4 7l4-4 4 4",
  closed: "M6 4l4 4-4 4",
  opened: "M4 6l4 4 4-4",
  drop: "M8 2v7M5 6.2 8 9.2l3-3M2.5 10v3.5h11V10",
} as const;

export type IconName = keyof typeof drawings;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", drawings[name]);
  svg.append(path);
  return svg;
}

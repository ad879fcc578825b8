// Charts over cycles, latencies and swept values, in the colours of the theme.

import uPlot from "uplot";
import { css, type Rgb } from "../palette";

export const COLOURS: readonly Rgb[] = [
  [38, 132, 235],
  [213, 94, 0],
  [0, 158, 115],
  [204, 121, 167],
  [230, 159, 0],
  [86, 180, 233],
];

export interface Line {
  name: string;
  values: ArrayLike<number>;
  colour: Rgb;
  isFilled?: boolean;
}

export interface Chart {
  unit: string;
  /** Where the values stand; with `names`, 0, 1, 2 … */
  along: ArrayLike<number>;
  axis: string;
  names?: readonly string[];
  lines: readonly Line[];
  isBars?: boolean;
  most?: number;
}

const live = new Set<uPlot>();

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Draws all charts anew, after the theme has changed. */
export function redrawCharts(): void {
  for (const chart of live) {
    if (chart.root.isConnected) chart.redraw(false, true);
    else live.delete(chart);
  }
}

/** Makes a chart in an element that is as wide as it is let. */
export function drawChart(host: HTMLElement, chart: Chart): void {
  const shared = {
    stroke: () => token("--muted"),
    grid: { stroke: () => token("--line"), width: 1 },
    ticks: { stroke: () => token("--line"), width: 1, size: 4 },
    font: "11px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
  };
  const { names } = chart;
  const options: uPlot.Options = {
    width: Math.max(host.clientWidth, 200),
    height: 190,
    cursor: { points: { size: 6 }, drag: { x: !names, y: false } },
    legend: { show: true },
    scales: {
      x: { time: false, ...(names && { range: [-0.3, names.length - 0.7] as [number, number] }) },
      y: { range: (_, __, most) => [0, (chart.most ?? most) * 1.04 || 1] },
    },
    axes: [
      {
        ...shared, label: chart.axis, labelSize: 18, size: 32,
        ...(names && {
          splits: names.map((_, k) => k),
          values: (_: uPlot, splits: number[]) => splits.map((k) => names[k] ?? ""),
        }),
      },
      { ...shared, label: chart.unit, labelSize: 18, size: 58 },
    ],
    series: [
      { label: chart.axis, ...(names && { value: (_, k) => names[k] ?? "" }) },
      ...chart.lines.map((line): uPlot.Series => ({
        label: line.name,
        stroke: css(line.colour),
        width: 1.5,
        value: (_, value) => value?.toLocaleString("en", { maximumFractionDigits: 4 }) ?? "",
        ...(line.isFilled && { fill: css(line.colour, 0.12) }),
        ...(chart.isBars && {
          paths: uPlot.paths.bars!({ size: [0.9, 60] }), fill: css(line.colour, 0.75), width: 0,
        }),
        points: { show: names !== undefined },
      })),
    ],
  };
  const data = [chart.along, ...chart.lines.map(({ values }) => values)];
  const plot = new uPlot(options, data.map((each) => Array.from(each)) as uPlot.AlignedData, host);
  live.add(plot);
  const fit = new ResizeObserver(() => {
    if (!host.isConnected) return fit.disconnect();
    if (host.clientWidth > 0) plot.setSize({ width: host.clientWidth, height: 190 });
  });
  fit.observe(host);
}

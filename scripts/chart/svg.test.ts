import { expect, it } from "vitest";
import { svgOf } from "./svg.ts";

const chart = {
  title: "a < b & c",
  x: { label: "devices", scale: "log", tick: String },
  y: { label: "ms", scale: "log", tick: String },
  series: [
    {
      name: "one",
      points: [
        { x: 10, y: 1 },
        { x: 1_000, y: 100 },
      ],
    },
    { name: "other", points: [{ x: 100, y: 10 }] },
  ],
} as const;

it("a chart places points by their logarithms, from corner to corner of the plot", () => {
  const lines = [...svgOf(chart).matchAll(/<polyline points="([^"]*)"/g)].map(([, points]) => points);
  expect(lines).toEqual(["92.0,410.0 610.0,56.0", "351.0,233.0"]);
});

it("a chart labels every line, escapes text, and has no background", () => {
  const svg = svgOf(chart);
  expect(svg).toContain(">one</text>");
  expect(svg).toContain(">other</text>");
  expect(svg).toContain("a &lt; b &amp; c");
  expect(svg).not.toContain("<rect");
});

it("a chart draws a dot in the hue of its line, which may be dashed", () => {
  const [first, second] = chart.series;
  const svg = svgOf({
    ...chart,
    y: { label: "share", scale: "share", tick: String },
    series: [first, { ...second, dashed: true, points: [{ x: 10, y: 0.5 }], mark: { x: 1_000, y: 1 } }],
    note: "● now",
  });
  expect(svg).toContain('<polyline points="92.0,233.0"');
  expect(svg).toContain('<circle cx="610.0" cy="56.0" r="4.5" fill="#d0782a"/>');
  expect(svg).toContain('stroke="#d0782a" stroke-width="2" stroke-linejoin="round" stroke-dasharray');
  expect(svg).toContain(">● now</text>");
});

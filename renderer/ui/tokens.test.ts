import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const colors = new Map(
  [...css.matchAll(/--color-([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((match) => [
    match[1]!,
    { light: match[2]!, dark: match[3]! },
  ]),
);

function luminance(hex: string): number {
  const channel = (at: number): number => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const grounds = ["canvas", "surface", "sunken", "raised"];
const text = ["ink", "muted", "faint", "accent", "hold", "rest", "bad"];
const pairs: (readonly [string, string, number])[] = [
  ...grounds.flatMap((ground) => text.map((ink) => [ink, ground, 4.5] as const)),
  ...["accent", "hold", "rest", "bad"].map((tone) => [tone, `${tone}-tint`, 4.5] as const),
  ...["hold-tint", "rest-tint", "bad-tint", "accent-tint", "line"].map(
    (tint) => ["muted", tint, 4.5] as const,
  ),
  ["on-accent", "accent", 4.5],
  ["on-accent", "accent-strong", 4.5],
  ["on-accent", "bad", 4.5],
  ["edge", "surface", 3],
  ["edge", "canvas", 3],
];

describe("colors meet WCAG AA", () => {
  for (const [ink, ground, least] of pairs) {
    for (const theme of ["light", "dark"] as const) {
      it(`${ink} on ${ground}, ${theme}: at least ${least}`, () => {
        const front = colors.get(ink);
        const back = colors.get(ground);
        expect(front, ink).toBeDefined();
        expect(back, ground).toBeDefined();
        expect(contrast(front![theme], back![theme])).toBeGreaterThanOrEqual(least);
      });
    }
  }
});

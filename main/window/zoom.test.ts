import { expect, it } from "vitest";
import { zoomed, zoomOfKey } from "./zoom.ts";

const pressed = { type: "keyDown", key: "+", control: true, meta: false, alt: false } as const;

it("goes from 100 to 200 percent in steps, and back", () => {
  const seen = [1];
  for (let step = 0; step < 6; step += 1) seen.push(zoomed(seen.at(-1)!, "in"));
  expect(seen).toEqual([1, 1.1, 1.25, 1.5, 1.75, 2, 2]);
  for (let step = 0; step < 6; step += 1) seen.push(zoomed(seen.at(-1)!, "out"));
  expect(seen.slice(-6)).toEqual([1.75, 1.5, 1.25, 1.1, 1, 1]);
  expect(zoomed(1.75, "reset")).toBe(1);
});

it("takes a step from a rounded factor", () => {
  expect(zoomed(1.0999999, "in")).toBe(1.25);
  expect(zoomed(1.1000001, "out")).toBe(1);
});

it.each([
  ["+", "in"],
  ["=", "in"],
  ["-", "out"],
  ["_", "out"],
  ["0", "reset"],
  ["a", null],
] as const)("Control and %s zoom: %s", (key, direction) => {
  expect(zoomOfKey({ ...pressed, key })).toBe(direction);
});

it("takes the Command key of a Mac, and no other keys beside it", () => {
  expect(zoomOfKey({ ...pressed, control: false, meta: true })).toBe("in");
  expect(zoomOfKey({ ...pressed, control: false })).toBeNull();
  // AltGr is Control and Alt.
  expect(zoomOfKey({ ...pressed, alt: true })).toBeNull();
  expect(zoomOfKey({ ...pressed, type: "keyUp" })).toBeNull();
});

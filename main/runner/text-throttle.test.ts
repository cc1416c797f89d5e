import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TextOutlet } from "./text-throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function outlet(): { readonly outlet: TextOutlet; readonly sent: string[] } {
  const sent: string[] = [];
  return { outlet: new TextOutlet((text) => sent.push(text)), sent };
}

it("passes the first piece on at once, and those that follow soon together", () => {
  const { outlet: texts, sent } = outlet();
  for (const piece of ["a", "b", "c"]) texts.push(piece);
  expect(sent).toEqual(["a"]);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual(["a", "bc"]);
  texts.push("d");
  expect(sent).toEqual(["a", "bc"]);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual(["a", "bc", "d"]);
});

it("passes each on at once where they come slowly", () => {
  const { outlet: texts, sent } = outlet();
  for (const piece of ["a", "b", "c"]) {
    texts.push(piece);
    expect(sent.at(-1)).toBe(piece);
    vi.advanceTimersByTime(200);
  }
  expect(vi.getTimerCount()).toBe(0);
});

it("holds nothing back at the end, and leaves no timer", () => {
  const { outlet: texts, sent } = outlet();
  texts.push("a");
  texts.push("b");
  texts.end();
  expect(sent).toEqual(["a", "b"]);
  expect(vi.getTimerCount()).toBe(0);
});

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StreamItem } from "../../app/jobs/stream-item.ts";
import { TextThrottle } from "./text-throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function throttle(): { readonly throttle: TextThrottle; readonly sent: string[] } {
  const sent: string[] = [];
  return { throttle: new TextThrottle(({ text }) => void sent.push(text)), sent };
}

it("sends the first piece at once, and later ones together", () => {
  const { throttle: texts, sent } = throttle();
  for (const piece of ["a", "b", "c"]) texts.push(piece);
  expect(sent).toEqual(["a"]);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual(["a", "bc"]);
  texts.push("d");
  expect(sent).toEqual(["a", "bc"]);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual(["a", "bc", "d"]);
});

it("sends slow pieces at once", () => {
  const { throttle: texts, sent } = throttle();
  for (const piece of ["a", "b", "c"]) {
    texts.push(piece);
    expect(sent.at(-1)).toBe(piece);
    vi.advanceTimersByTime(200);
  }
  expect(vi.getTimerCount()).toBe(0);
});

it("sends the rest at the end, and leaves no timer", () => {
  const { throttle: texts, sent } = throttle();
  texts.push("a");
  texts.push("b");
  texts.end();
  expect(sent).toEqual(["a", "b"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("joins the parts of a call's arguments, and keeps other items apart", () => {
  const sent: (readonly StreamItem[])[] = [];
  const texts = new TextThrottle(({ items }) => void sent.push(items));
  const token = { token: { token: "a", logprob: -1, top: [] } };
  const call = { call: { id: "c", name: "f" } };
  texts.push("a", [token]);
  texts.push("", [call]);
  texts.push("", [{ arguments: "{" }]);
  texts.push("", [{ arguments: "}" }]);
  texts.end();
  expect(sent).toEqual([[token], [call, { arguments: "{}" }]]);
});

it("tells how many pieces were sent as one", () => {
  const sent: number[] = [];
  const texts = new TextThrottle(({ tokens }) => void sent.push(tokens));
  for (const piece of ["a", "b", "c"]) texts.push(piece);
  vi.advanceTimersByTime(100);
  texts.push("d");
  texts.end();
  expect(sent).toEqual([1, 2, 1]);
});

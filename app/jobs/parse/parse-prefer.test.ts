import { expect, it } from "vitest";
import { parsePrefer } from "./parse-prefer.ts";

it.each([
  ["", false, null],
  ["respond-async", true, null],
  ["Respond-Async", true, null],
  ["respond-async, wait=30", true, 30_000],
  ['wait="5"; foo=1, respond-async', true, 5_000],
  ["wait=0", false, 0],
  ["wait=3, wait=4", false, 3_000],
  ["return=minimal, handling=lenient", false, null],
  ["wait", false, null],
  ["wait=-1", false, null],
  ["wait=1.5", false, null],
  ["wait=1000000", false, null],
  ["respond-asynchronously", false, null],
])("reads the preferences of %j", (header, respondAsync, waitMs) => {
  expect(parsePrefer(header)).toEqual({ respondAsync, waitMs });
});

it("reads no more than the beginning of a long header", () => {
  expect(parsePrefer(`${"a,".repeat(1_000)}respond-async`).respondAsync).toBe(false);
});

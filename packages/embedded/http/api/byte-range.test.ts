import { expect, test } from "vitest";
import { chooseRange } from "./byte-range.ts";

const whole = { kind: "whole" };
const unsatisfiable = { kind: "unsatisfiable" };
const part = (start: number, end: number) => ({ kind: "part", start, end });

test.each([
  [undefined, whole],
  ["bytes=0-0", part(0, 0)],
  ["bytes=20-29", part(20, 29)],
  ["bytes=20-", part(20, 99)],
  ["bytes=20-1000", part(20, 99)],
  ["bytes=-10", part(90, 99)],
  ["bytes=-1000", part(0, 99)],
  ["bytes=-0", unsatisfiable],
  ["bytes=100-", unsatisfiable],
  ["bytes=0-1,3-4", whole],
  ["bytes=0-1,100-", whole],
  ["bytes=100-,200-300", unsatisfiable],
  ["bytes=5-2", whole],
  ["bytes=-", whole],
  ["bytes=a-b", whole],
  ["lines=1-2", whole],
  ["bytes=99999999999999999999-", whole],
])("the range %s of 100 bytes is chosen", (header, expected) => {
  expect(chooseRange(header, 100)).toEqual(expected);
});

test("an empty file is always sent whole", () => {
  expect(chooseRange("bytes=0-0", 0)).toEqual(whole);
});

import { describe, expect, it } from "vitest";
import { JsonEnd } from "./grammars.ts";

describe("JsonEnd", () => {
  it.each([
    ['{"a":[1,{"b":"}"}]} tail', 19],
    ['["\\"]"]', 7],
    ['{"a":1', null],
    ["12 ", null],
  ])("finds the end of %s at %s", (text, end) => {
    expect(new JsonEnd().push(text)).toBe(end);
    const bySigns = new JsonEnd();
    const found = Array.from(text).findIndex((sign) => bySigns.push(sign) !== null);
    expect(found === -1 ? null : found + 1).toBe(end);
  });
});

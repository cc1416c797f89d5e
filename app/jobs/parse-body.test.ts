import { describe, expect, it } from "vitest";
import { utf8Length } from "./parse-body.ts";

describe("utf8Length", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["é", 2],
    ["€", 3],
    ["😀", 4],
  ])("of %j is %i", (value, bytes) => {
    expect(utf8Length(value)).toBe(bytes);
    expect(new TextEncoder().encode(value).byteLength).toBe(bytes);
  });
});

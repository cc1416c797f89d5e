import { expect, it } from "vitest";
import { utf8Length } from "./utf8.ts";

it.each([
  ["", 0],
  ["a", 1],
  ["é", 2],
  ["€", 3],
  ["😀", 4],
])("counts the UTF-8 bytes of %j as %i", (value, bytes) => {
  expect(utf8Length(value)).toBe(bytes);
  expect(new TextEncoder().encode(value).byteLength).toBe(bytes);
});

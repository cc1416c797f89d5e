import { expect, it } from "vitest";
import { csvOf } from "./csv.ts";

it("writes numbers as decimals, and text so that it is no formula", () => {
  const rows = [[0.000_000_797, 1e21, 0.1, -2, "=1+1", 'a "b", c', null]];
  const line = `0.000000797,1000000000000000000000,0.1,-2,'=1+1,"a ""b"", c",\r\n`;
  expect(csvOf(["a"], rows)).toBe(`a\r\n${line}`);
});

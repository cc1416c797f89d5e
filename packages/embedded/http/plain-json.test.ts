import { convexToJson } from "convex/values";
import { expect, test } from "vitest";
import { plainJson } from "./plain-json.ts";

test("values without a JSON form are written as text", () => {
  const value = {
    int: -5n,
    nan: NaN,
    inf: -Infinity,
    zero: -0,
    bytes: new Uint8Array([1, 2]).buffer,
    list: [1n, "x"],
  };
  expect(plainJson(convexToJson(value))).toEqual({
    int: "-5",
    nan: "NaN",
    inf: "-Infinity",
    zero: -0,
    bytes: "AQI=",
    list: ["1", "x"],
  });
});

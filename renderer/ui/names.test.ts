import { expect, it } from "vitest";
import { joinNames, splitNames } from "./names.ts";

it("splits names at commas and removes duplicates", () => {
  expect(splitNames(" lab, second floor ,lab,, ")).toEqual(["lab", "second floor"]);
  expect(splitNames("  ")).toEqual([]);
});

it("splits joined names into the same names", () => {
  const names = ["lab", "second floor"];
  expect(splitNames(joinNames(names))).toEqual(names);
});

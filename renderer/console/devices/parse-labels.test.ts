import { expect, it } from "vitest";
import { joinLabels, parseLabels } from "./parse-labels.ts";

it("takes what stands between commas, each once", () => {
  expect(parseLabels(" lab, second floor ,lab,, ")).toEqual(["lab", "second floor"]);
  expect(parseLabels("  ")).toEqual([]);
});

it("gives back what it was given", () => {
  const labels = ["lab", "second floor"];
  expect(parseLabels(joinLabels(labels))).toEqual(labels);
});

import { expect, it } from "vitest";
import { idleWords, optionsFor } from "./setting-options.ts";

it("keeps a value that is none of the choices, in its place", () => {
  expect(optionsFor([10, 30], 20, String)).toEqual([
    { value: "10", label: "10" },
    { value: "20", label: "20" },
    { value: "30", label: "30" },
  ]);
  expect(optionsFor([10, 30], 30, String)).toHaveLength(2);
});

it("says times in their largest whole unit", () => {
  expect([45, 60, 90, 120, 3_600, 7_200].map(idleWords)).toEqual([
    "45 seconds",
    "1 minute",
    "90 seconds",
    "2 minutes",
    "1 hour",
    "2 hours",
  ]);
});

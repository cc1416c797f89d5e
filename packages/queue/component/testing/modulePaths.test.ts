import { expect, it } from "vitest";

const files = Object.keys(import.meta.glob(["../**/*.{ts,tsx}", "!../**/_generated/**"]));

it("has no module whose path Convex refuses, since one would refuse the whole deploy", () => {
  expect(files).toContain("../work.ts");
  expect(files.filter((file) => !/^\.{1,2}(\/[\w.]+)+$/.test(file))).toEqual([]);
});

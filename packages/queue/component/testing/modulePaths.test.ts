import { expect, it } from "vitest";

const files = Object.keys(import.meta.glob(["../**/*.{ts,tsx}", "!../**/_generated/**"]));

it("the component has only module paths that Convex accepts, since one bad path fails the whole deploy", () => {
  expect(files).toContain("../work.ts");
  expect(files.filter((file) => !/^\.{1,2}(\/[\w.]+)+$/.test(file))).toEqual([]);
});

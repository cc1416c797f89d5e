import { expect, it } from "vitest";

/** What Convex takes of this folder: no tests and other names with two dots, and no generated code. */
const files = Object.keys(import.meta.glob(["../**/*.{ts,tsx,js,jsx,mjs,mts}", "!../**/_generated/**"]));
const deployed = files.map((file) => file.slice("../".length)).filter((file) => !/\.[^/]*\./.test(file));

it("has no module whose path Convex refuses, since one would refuse the whole deploy", () => {
  expect(deployed).toContain("openai/endpoint.ts");
  const refused = deployed.filter((file) => !/^[A-Za-z0-9_./]+$/.test(file));
  expect(refused).toEqual([]);
});

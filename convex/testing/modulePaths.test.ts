import { expect, it } from "vitest";

/** The modules that Convex deploys: no generated code, and no names with two dots, such as tests. */
const files = Object.keys(import.meta.glob(["../**/*.{ts,tsx,js,jsx,mjs,mts}", "!../**/_generated/**"]));
const deployed = files.map((file) => file.slice("../".length)).filter((file) => !/\.[^/]*\./.test(file));

it("gives no module a path that Convex refuses, because one would fail the whole deploy", () => {
  expect(deployed).toContain("openai/endpoint.ts");
  const refused = deployed.filter((file) => !/^[A-Za-z0-9_./]+$/.test(file));
  expect(refused).toEqual([]);
});

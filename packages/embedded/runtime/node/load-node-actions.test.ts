import { expect, test } from "vitest";
import { loadNodeActions } from "./load-node-actions.ts";
import { bundleNodeModule } from "./node-functions.fixture.ts";

const reasonFor = async (code: string): Promise<string> => {
  const loaded = await loadNodeActions({ bundle: await bundleNodeModule(code), env: () => ({}) });
  return loaded.kind === "failed" ? loaded.message : "no failure";
};

test("a Node module may define only actions", async () => {
  expect(await reasonFor("export const q = queryGeneric({ handler: () => 1 });")).toBe(
    "`q` defined in `a.js` is a Query function. Only actions can be defined in Node.js. " +
      "See https://docs.convex.dev/functions/actions for more details.",
  );
  const http =
    'import { httpActionGeneric } from "convex/server"; export const h = httpActionGeneric(() => 1);';
  expect(await reasonFor(http)).toContain("`h` defined in `a.js` is a HttpAction function.");
});

test("a module that throws is named with its line", async () => {
  expect(await reasonFor('export const x = 1;\nthrow new TypeError("too early");')).toMatch(
    /^Failed to analyze a\.js: Uncaught TypeError: too early\n.*convex\/a\.ts:4:7/,
  );
});

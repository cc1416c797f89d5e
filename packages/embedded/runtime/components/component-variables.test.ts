import { expect, test } from "vitest";
import type { DefinitionAnalysis } from "./component-analysis.ts";
import { type ComponentMount, mountsOf } from "./component-mounts.ts";
import { componentVariables, variablesProblem } from "./component-variables.ts";

const text = { value: JSON.stringify({ type: "string" }) };
const level = {
  value: JSON.stringify({
    type: "union",
    value: ["high", "low"].map((value) => ({ type: "literal", value })),
  }),
  optional: true,
};

const childless: DefinitionAnalysis = { childComponents: [], httpMounts: {} };

function mounted(definitions: { readonly [path: string]: DefinitionAnalysis }): readonly ComponentMount[] {
  const outcome = mountsOf(new Map(Object.entries(definitions)));
  if (outcome.kind === "invalid") throw new Error(outcome.reason);
  return outcome.mounts;
}

const mounts = mounted({
  "": {
    ...childless,
    envVars: [["TOKEN", text]],
    childComponents: [
      { name: "a", path: "../c", env: [["SECRET", { type: "envVar", name: "TOKEN" }]] },
      { name: "b", path: "../c", env: [["SECRET", { type: "value", value: "fixed" }]] },
    ],
  },
  "../c": {
    ...childless,
    envVars: [
      ["SECRET", text],
      ["LEVEL", level],
    ],
    childComponents: [{ name: "inner", path: "../d", env: [["DEEP", { type: "envVar", name: "SECRET" }]] }],
  },
  "../d": { ...childless, envVars: [["DEEP", text]] },
});

test("a definition is mounted once for each installation, with its own components", () => {
  expect(mounts.map(({ path, definition }) => [path, definition])).toEqual([
    ["", ""],
    ["a", "../c"],
    ["a/inner", "../d"],
    ["b", "../c"],
    ["b/inner", "../d"],
  ]);
});

test("a component sees only the variables that it was passed: constants and its parent's present values", () => {
  let token = "one";
  const variables = componentVariables(mounts, () => ({
    TOKEN: token,
    OTHER: "x",
    CONVEX_SITE_URL: "http://s",
  }));
  expect(variables("a")).toEqual({ SECRET: "one", CONVEX_SITE_URL: "http://s" });
  expect(variables("b/inner")).toEqual({ DEEP: "fixed", CONVEX_SITE_URL: "http://s" });
  token = "two";
  expect(variables("a/inner")).toEqual({ DEEP: "two", CONVEX_SITE_URL: "http://s" });
  expect(variables("")).toHaveProperty("OTHER", "x");
});

test("a declared variable that is missing or of another type is named", () => {
  expect(
    variablesProblem(
      mounts,
      componentVariables(mounts, () => ({ TOKEN: "x" })),
    ),
  ).toBeNull();
  expect(
    variablesProblem(
      mounts,
      componentVariables(mounts, () => ({})),
    ),
  ).toMatch(/The app needs .* TOKEN/);
  const unfit = mounted({
    "": {
      ...childless,
      childComponents: [{ name: "c", path: "c", env: [["LEVEL", { type: "value", value: "no" }]] }],
    },
    c: { ...childless, envVars: [["LEVEL", level]] },
  });
  expect(
    variablesProblem(
      unfit,
      componentVariables(unfit, () => ({})),
    ),
  ).toMatch(/"c" declares another type .* LEVEL/);
});

test("a component that cannot be installed is refused by name", () => {
  const child = { name: "twin", path: "c" };
  const refused = (childComponents: DefinitionAnalysis["childComponents"]) =>
    mountsOf(
      new Map([
        ["", { ...childless, childComponents }],
        ["c", childless],
      ]),
    );
  expect(refused([child, child])).toMatchObject({
    reason: expect.stringMatching(/Two components .* "twin"/),
  });
  expect(refused([{ ...child, env: [["X", { type: "value", value: "" }]] }])).toMatchObject({
    reason: expect.stringMatching(/variable X, which it does not declare/),
  });
});

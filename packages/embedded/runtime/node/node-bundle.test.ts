import { expect, test } from "vitest";
import { hasDirective } from "../source/module-environment.ts";
import { bundleProject } from "./node-functions.fixture.ts";

test.each([
  ['"use node";\nexport {};', true],
  ["// why\n/* more */\n'use node'\n", true],
  ['"use strict";\n"use node";\nexport const a: number = 1;', true],
  ['const text = "use node";', false],
  ['"use node" + 1;', false],
  ['import "x";\n"use node";', false],
  ['"use node"\nexport const x = ;', true],
  ["export const x = 'use node';\nexport const y = ;", false],
])("the source %j needs the Node runtime: %s", async (source, expected) => {
  expect(await hasDirective(source, "ts")).toBe(expected);
});

const reasonOf = async (files: { readonly [path: string]: string }): Promise<string> => {
  const outcome = await bundleProject(files);
  return outcome.kind === "failed" ? outcome.message : "no failure";
};

const usesFs = 'import fs from "node:fs"; export const f = () => fs.readdirSync("/");';

test("the modules of both runtimes are bundled, with Node's modules only for Node", async () => {
  const outcome = await bundleProject({
    "convex/a.ts": `"use node"; ${usesFs}`,
    "convex/folder/b.ts": "'use node'; import { f } from '../a.ts'; export const g = f;",
    "convex/c.ts": "export const c = 1;",
  });
  if (outcome.kind === "failed") throw new Error(outcome.message);
  expect(outcome.bundle.modules).toEqual(["c"]);
  expect(outcome.bundle.node).toMatchObject({ modules: ["a", "folder/b"], packages: null });
});

test("a module of the default runtime cannot use Node's modules, and is told how it could", async () => {
  const reason = await reasonOf({ "convex/a.ts": usesFs });
  expect(reason).toContain('Could not resolve "node:fs"');
  expect(reason).toContain('begins with "use node"');
  expect(await reasonOf({ "convex/a.ts": 'import "./missing.ts";' })).not.toContain("use node");
});

test("a module of the default runtime may import a Node module if that uses nothing of Node", async () => {
  const b = 'import { f } from "./a.ts"; export const g = f;';
  const fine = await bundleProject({ "convex/a.ts": '"use node"; export const f = 7;', "convex/b.ts": b });
  if (fine.kind === "failed") throw new Error(fine.message);
  expect(fine.bundle.code).toContain("7");
  const reason = await reasonOf({ "convex/a.ts": `"use node"; ${usesFs}`, "convex/b.ts": b });
  expect(reason).toContain('Could not resolve "node:fs"');
});

test.each(["http.ts", "crons.ts", "schema.ts", "auth.config.ts"])(
  "%s cannot be a Node module",
  async (file) => {
    const reason = await reasonOf({ [`convex/${file}`]: '"use node"; export default {};' });
    expect(reason).toBe(`"use node" directive is not allowed for ${file}.`);
  },
);

test("files in actions/ need the directive", async () => {
  expect(await reasonOf({ "convex/actions/a.ts": "export {};" })).toMatch(/^actions\/a\.ts .*"use node"/);
  expect(await reasonOf({ "convex/actions/a.ts": '"use node"; export {};' })).toBe("no failure");
  expect(await reasonOf({ "convex/actions.ts": "export {};" })).toBe("no failure");
});

const withPackage = (settings: string) => ({
  "convex/a.ts": '"use node"; import { thing } from "thing"; export const a = thing;',
  "convex.json": settings,
  "package.json": JSON.stringify({ dependencies: { thing: "^1.0.0", local: "file:../local" } }),
  "node_modules/thing/package.json": '{ "name": "thing", "type": "module", "exports": "./index.js" }',
  "node_modules/thing/index.js": 'export const thing = "of the package";',
});

test.each([
  ["all are bundled by default", "{}", true],
  ["convex.json names the external ones", '{ "node": { "externalPackages": ["thing"] } }', false],
  ["* means all", '{ "node": { "externalPackages": ["*"] } }', false],
  ["others are bundled", '{ "node": { "externalPackages": ["other"] } }', true],
])("packages: %s", async (_, settings, isBundled) => {
  const outcome = await bundleProject(withPackage(settings));
  if (outcome.kind === "failed") throw new Error(outcome.message);
  const { files = [], packages } = outcome.bundle.node ?? {};
  expect(files.some(({ code }) => code.includes("of the package"))).toBe(isBundled);
  if (isBundled) expect(packages).toBeNull();
  else expect(packages).toMatch(/node_modules$/);
});

test("a convex.json that cannot be read is reported", async () => {
  expect(await reasonOf(withPackage("{"))).toMatch(/convex\.json cannot be read/);
  expect(await reasonOf(withPackage('{ "node": { "externalPackages": 1 } }'))).toMatch(/expected array/i);
});

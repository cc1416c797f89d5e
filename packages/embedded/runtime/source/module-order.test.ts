import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { bundleFunctions } from "../bundle/bundle.ts";
import { functionsFolder, type Sources, writeSources } from "../bundle/functions.fixture.ts";
import { openFixture } from "../runtime.fixture.ts";

/** Modules report to a global variable. Those with a query named `seen` return it. */
const report = `import { queryGeneric as query } from "convex/server";
  const order = (globalThis.order ??= []);
  export const note = (text) => { order.push(text); };
  export const attempt = (read) => {
    try { order.push(String(read())); } catch (error) { order.push(error.name); }
  };
  export const seen = query({ handler: () => order });`;
const notes = `import { attempt, note, seen } from "./report"; export { seen };`;

const cases: { readonly [what: string]: Sources } = {
  "circular imports find function declarations before their module": {
    "a.ts": `${notes} import { b } from "./b"; note("a begins"); attempt(() => b()); export function a() { return "a"; }`,
    "b.ts": `${notes} import { a } from "./a"; note("b begins"); attempt(() => a()); export function b() { return "b"; }`,
  },
  "circular imports of constants, classes and variables": {
    "a.ts": `${notes} import { read } from "./b"; note("a begins");
      export const constant = "constant"; export class Class {} export let later = "later"; export var old = "old";
      export default "default"; attempt(() => read());`,
    "b.ts": `${notes} import byDefault, { Class, constant, later, old } from "./a"; note("b begins");
      export const read = () => [constant, later, old, byDefault, Class.name].join();
      attempt(() => constant); attempt(() => typeof Class); attempt(() => later); attempt(() => old); attempt(() => byDefault);`,
  },
  "circular namespaces and re-exports": {
    "a.ts": `${notes} import * as b from "./b"; export * from "./c"; note("a begins"); attempt(() => Object.keys(b).join());
      attempt(() => b.c); export const a = "a";`,
    "b.ts": `${notes} import * as a from "./a"; note("b begins"); attempt(() => a.a); attempt(() => a.c); export { c } from "./c";`,
    "c.ts": `${notes} import { a } from "./a"; note("c begins"); attempt(() => a); export let c = 1; c += 1;`,
  },
  "a circle of three modules with code of their own and shared code": {
    "a.ts": `${notes} import "./shared"; import { b } from "./b"; note("a begins"); export const a = () => b;`,
    "b.ts": `${notes} import { c } from "./deep/c"; import "./only"; note("b begins"); attempt(() => c); export const b = "b";`,
    "deep/c.ts": `import { attempt, note, seen } from "../report"; export { seen };
      import { a } from "../a"; import "../shared"; note("c begins"); attempt(() => a()); export const c = "c";`,
    "shared.ts": `import { note } from "./report"; note("shared begins");`,
    "only.ts": `${notes} import { c } from "./deep/c"; note("only begins"); attempt(() => c);`,
  },
  "a circle of a file and a folder of the same name": {
    "a.ts": `${notes} import { deep } from "./a/b"; note("a begins"); attempt(() => deep()); export const flat = () => "flat";`,
    "a/b.ts": `import { attempt, note, seen } from "../report"; export { seen };
      import { flat } from "../a"; note("a/b begins"); attempt(() => flat()); export const deep = () => "deep";`,
  },
  "code that one module shares with the schema, and one with auth.config": {
    "schema.ts": `import { defineSchema } from "convex/server"; import { tables } from "../tables"; export default defineSchema(tables);`,
    "auth.config.ts": `import { providers } from "../providers"; export default { providers };`,
    "a.ts": `${notes} import "../own"; import "../tables"; note("a begins");`,
    "b.ts": `${notes} import "../other"; import "../providers"; note("b begins");`,
    "../own.ts": `(globalThis.order ??= []).push("own begins");`,
    "../other.ts": `(globalThis.order ??= []).push("other begins");`,
    "../tables.ts": `(globalThis.order ??= []).push("tables begins"); export const tables = {};`,
    "../providers.ts": `(globalThis.order ??= []).push("providers begins"); export const providers = [];`,
  },
  "code for production": {
    "a.ts": `${notes} note("a begins"); note(process.env.NODE_ENV);`,
  },
};

const run = promisify(execFile);
const convexCli = join(import.meta.dirname, "../../../../node_modules/convex/bin/main.js");

/** Bundles a functions folder with the convex command, which would push the result. Returns the folder with the files. */
async function bundledByConvex(folder: string): Promise<string> {
  const project = dirname(folder);
  const request = join(project, "request");
  const nowhere = { CONVEX_SELF_HOSTED_URL: "http://127.0.0.1:1", CONVEX_SELF_HOSTED_ADMIN_KEY: "key" };
  const options = ["--push-all-modules", "--codegen", "disable", "--typecheck", "disable"];
  await run(process.execPath, [convexCli, "deploy", ...options, "--write-push-request", request], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: project, ...nowhere },
  });
  const { appDefinition } = JSON.parse(await readFile(`${request}.json`, "utf8")) as {
    readonly appDefinition: { readonly changedModules: readonly { path: string; source: string }[] };
  };
  const files = Object.fromEntries(appDefinition.changedModules.map(({ path, source }) => [path, source]));
  await writeSources(join(project, "native"), { ...files, "package.json": `{ "type": "module" }` });
  return join(project, "native");
}

/** Evaluates a file of ES modules in Node, and prints what its query `seen` returns. */
const native = `const { seen } = await import(process.argv[1]); console.log(await seen.invokeQuery("[{}]"));`;

test.each(Object.entries(cases))("%s, as Convex bundles them", async (_, sources) => {
  const folder = await functionsFolder({ "report.ts": report, ...sources });
  const built = await bundledByConvex(folder);
  const outcome = await bundleFunctions(folder);
  if (outcome.kind === "failed") throw new Error(outcome.message);
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const fixture = await openFixture({ engine, bundle: outcome.bundle });
  const entries = Object.keys(sources).filter((path) => sources[path]?.includes("seen"));
  for (const module of entries.map((path) => path.replace(/\.ts$/, ""))) {
    const entry = join(built, `${module}.js`);
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", native, entry]);
    const expected = JSON.parse(stdout) as string[];
    expect([module, await fixture.call(`${module}:seen`)]).toEqual([module, expected]);
    expect(expected.length).toBeGreaterThan(1);
  }
});

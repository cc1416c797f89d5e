import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, uniqueName } from "./deployment.ts";
import { makeProject, type Project, type Ran, runConvex } from "./project.ts";

let project: Project;

beforeAll(async () => {
  project = await makeProject();
});

afterAll(() => project.remove());

/** Runs `npx convex …` in a separate project, on the deployment under test. */
const convex = (...args: string[]): Promise<Ran> => runConvex(project, deployment, args);

test("npx convex codegen accepts the fixture's functions", async () => {
  const ran = await convex("codegen", "--system-udfs", "--typecheck", "disable");
  expect(ran.code, ran.stderr).toBe(0);
  const generated = await readdir(join(project.folder, "convex/_generated"));
  expect(generated).toEqual(expect.arrayContaining(["api.js", "dataModel.d.ts", "server.js"]));
});

test("npx convex codegen asks the deployment about the functions", async () => {
  const ran = await convex("codegen", "--typecheck", "disable");
  expect(ran.code, ran.stderr).toBe(0);
  const types = await readFile(join(project.folder, "convex/_generated/api.d.ts"), "utf8");
  expect(types).toContain('ComponentApi<"mailbox">');
});

test.each([
  ["an expression", "1 + 1", "2"],
  ["statements", 'const all = await ctx.db.query("counters").take(0); return all.length;', "0"],
  ["a module", "export default query({ handler: async () => ({ n: 1n }) })", '{\n  "n": {'],
])("npx convex run evaluates %s as a query", async (_, source, expected) => {
  const ran = await convex("run", "--inline-query", source);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout.trim().startsWith(expected), ran.stdout).toBe(true);
});

test.each([
  ["throws", 'throw new Error("on purpose")', "Uncaught Error: on purpose"],
  ["writes", 'await ctx.db.insert("counters", {})', "insert"],
  ["fetches", 'await fetch("http://127.0.0.1:1")', "Can't use fetch() in queries and mutations"],
  ["is no JavaScript", "return (", "Query failed"],
])("npx convex run fails for a query that %s", async (_, source, reason) => {
  const ran = await convex("run", "--inline-query", source);
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toContain(reason);
});

test("npx convex run evaluates a query in a component", async () => {
  const source = 'const all = await ctx.db.query("letters").collect(); return Array.isArray(all);';
  const ran = await convex("run", "--component", "mailbox", "--inline-query", source);
  expect([ran.stdout.trim(), ran.code], ran.stderr).toEqual(["true", 0]);
});

test("npx convex run calls public and internal functions", async () => {
  const name = uniqueName();
  const ran = await convex("run", "counters:increment", JSON.stringify({ name }));
  expect([ran.code, ran.stdout.trim()], ran.stderr).toEqual([0, "1"]);
  expect((await convex("run", "counters:secretGet", JSON.stringify({ name }))).stdout.trim()).toBe("1");
  expect((await convex("run", "counters:reset", JSON.stringify({ name }))).code).toBe(0);
  expect(await httpClient().query(api.counters.get, { name })).toBe(0);
});

test("npx convex run acts as a user", async () => {
  const ran = await convex("run", "values:whoami", "{}", "--identity", '{"subject":"dora"}');
  expect([ran.code, ran.stdout.trim()], ran.stderr).toEqual([0, '"dora"']);
});

test("npx convex run lists the functions", async () => {
  const ran = await convex("run", "counters:nothing");
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toContain("Available functions");
  expect(ran.stderr).toContain("increment");
});

test("npx convex function-spec describes the deployment", async () => {
  const ran = await convex("function-spec");
  expect(ran.code, ran.stderr).toBe(0);
  const spec = JSON.parse(ran.stdout) as { url: string; functions: { identifier: string }[] };
  expect(spec.url).toBe(deployment.url);
  expect(spec.functions.map(({ identifier }) => identifier)).toContain("counters.js:increment");
});

test("npx convex env sets the functions' variables", async () => {
  const name = `CONFORMANCE_${String(Date.now())}`;
  const set = await convex("env", "set", name, "blue");
  expect(set.code, set.stderr).toBe(0);
  expect((await convex("env", "list")).stdout).toContain(`${name}=blue`);
  expect(await httpClient().query(api.values.environment, { name })).toBe("blue");
  expect(await httpClient().action(modules.nodeActions.variable, { name })).toBe("blue");
  expect((await convex("env", "remove", name)).code).toBe(0);
  expect(await httpClient().query(api.values.environment, { name })).toBeNull();
  expect(await httpClient().action(modules.nodeActions.variable, { name })).toBeNull();
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { openFixture } from "../runtime.fixture.ts";
import type { NodeBundle } from "../source/bundled-script.ts";
import { loadNodeActions } from "./load-node-actions.ts";
import { NodeActions, type NodeActionsOptions } from "./node-actions.ts";
import { bundleNodeModule, bundleProject } from "./node-functions.fixture.ts";
import type { NodeOutcome } from "./node-run.ts";

const functions = `
  import { writeSync } from "node:fs";
  const handler = (run) => action({ args: {}, handler: run });
  export const where = handler(() => [process.pid, process.cwd()]);
  export const variable = handler(() => process.env.COLOR ?? null);
  export const loop = handler(() => { console.log("looping"); for (;;); });
  export const never = handler(() => new Promise(() => setInterval(() => {}, 1000)));
  export const rest = handler(async () => { await new Promise((r) => setTimeout(r, 700)); return process.pid; });
  export const lie = handler(async () => { writeSync(3, "nonsense\\n"); await new Promise(() => setInterval(() => {}, 1000)); });
  export const throwSoon = handler(async () => { setTimeout(() => { throw new Error("soon") }, 50); await new Promise(() => {}); });
  export const throwLater = handler(() => { setTimeout(() => { throw new Error("late") }, 300); return process.pid; });
`;

async function open(options: Partial<NodeActionsOptions> = {}) {
  const bundle = await bundleNodeModule(functions);
  const actions = new NodeActions({ bundle, env: () => ({}), ...options });
  onTestFinished(() => actions.close());
  const lines: string[] = [];
  const run = (name: string, signal = new AbortController().signal): Promise<NodeOutcome> =>
    actions.run({
      module: "a",
      name,
      args: "[{}]",
      log: (line) => void lines.push(line),
      answer: () => Promise.reject(new Error("no syscalls")),
      signal,
    });
  const value = async (name: string): Promise<unknown> => {
    const outcome = await run(name);
    if (outcome.kind !== "returned") throw new Error(JSON.stringify(outcome));
    return JSON.parse(outcome.json) as unknown;
  };
  return { actions, lines, run, value, where: async () => (await value("where")) as [number, string] };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("actions use one process after the other, which ends with its folder when it was idle", async () => {
  const { where } = await open({ idleMs: 500 });
  const [pid, folder] = await where();
  expect(await where()).toEqual([pid, folder]);
  expect(existsSync(folder)).toBe(true);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), 5_000);
  expect((await where())[0]).not.toBe(pid);
});

test("an endless loop ends with its time, and with its process", async () => {
  const { run, where } = await open({ actionTimeMs: 4_000 });
  const [pid] = await where();
  expect(await run("loop")).toEqual({
    kind: "ended",
    message: "Action `loop` execution timed out (maximum duration 4s)",
  });
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
  expect((await where())[0]).not.toBe(pid);
});

test("an action ends with its process when nobody takes its outcome anymore", async () => {
  const { lines, run, where } = await open();
  const [pid] = await where();
  const caller = new AbortController();
  const left = run("loop", caller.signal);
  await vi.waitFor(() => expect(lines).toEqual([expect.stringContaining("looping")]), 5_000);
  caller.abort();
  expect(await left).toMatchObject({ kind: "ended" });
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
  expect((await where())[0]).not.toBe(pid);
});

test("a Node action that its caller has not awaited ends with its caller", async () => {
  const outcome = await bundleProject({
    "convex/a.ts": `"use node"; import { actionGeneric } from "convex/server"; import { writeFileSync } from "node:fs";
      export const beats = actionGeneric(async (_, { file }) => {
        for (let beat = 0; ; beat += 1) {
          writeFileSync(file, String(beat));
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });`,
    "convex/b.ts": `import { actionGeneric, anyApi } from "convex/server";
      export const leaves = actionGeneric(async (ctx, args) => {
        void ctx.runAction(anyApi.a.beats, args);
        await new Promise((resolve) => setTimeout(resolve, 3_000));
      });`,
  });
  if (outcome.kind === "failed" || outcome.bundle.node === null) throw new Error("not bundled");
  const loaded = await loadNodeActions({ bundle: outcome.bundle.node, env: () => ({}) });
  if (loaded.kind === "failed") throw new Error(loaded.message);
  onTestFinished(() => loaded.runner.close());
  const folder = mkdtempSync(join(tmpdir(), "node-actions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "beat");
  const { call, runner } = await openFixture();
  await runner.code.deploy(runner.code.load(outcome.bundle, loaded));
  await call("b:leaves", { file });
  const beat = (): string => readFileSync(file, "utf8");
  const isStill = async (): Promise<boolean> => beat() === (await sleep(500).then(beat));
  await expect.poll(isStill, { timeout: 5_000 }).toBe(true);
});

test("many actions share four processes", async () => {
  const { value } = await open();
  const pids = await Promise.all(Array.from({ length: 12 }, () => value("rest")));
  expect(new Set(pids).size).toBe(4);
});

test("processes that are blocked get no more actions while others can start", async () => {
  const { lines, run, value } = await open({ pingEveryMs: 300 });
  const loops = Promise.all(Array.from({ length: 4 }, () => run("loop")));
  await vi.waitFor(() => expect(lines).toHaveLength(4), 5_000);
  await sleep(1_000);
  expect(await Promise.race([loops, value("variable")])).toBeNull();
});

test("actions in a blocked process fail, if the process has several", async () => {
  const { run } = await open({ pingEveryMs: 100 });
  const waiting = Array.from({ length: 4 }, () => run("never"));
  const blocked = run("loop");
  const first = await Promise.race([...waiting, blocked]);
  expect(first).toMatchObject({
    kind: "ended",
    message: expect.stringContaining("infinite loops") as string,
  });
  expect(await blocked).toEqual(first);
});

test("after a change of the variables, actions run in a new process", async () => {
  let env = { COLOR: "blue" };
  const { value, where } = await open({ env: () => env });
  const [pid] = await where();
  const resting = value("rest");
  expect(await value("variable")).toBe("blue");
  env = { COLOR: "red" };
  expect(await value("variable")).toBe("red");
  expect(await resting).toBe(pid);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
});

test("a process that writes something else to the backend ends", async () => {
  const { run, value } = await open();
  expect(await run("lie")).toMatchObject({
    kind: "ended",
    message: expect.stringContaining("does not understand") as string,
  });
  expect(await value("variable")).toBeNull();
});

test("an error that nothing catches fails its action, and no other one in its process", async () => {
  const { run, value } = await open();
  const resting = Array.from({ length: 4 }, () => value("rest"));
  expect(await run("throwSoon")).toMatchObject({ kind: "threw", thrown: { message: "soon" } });
  expect(new Set(await Promise.all(resting)).size).toBe(4);
});

test("an error after the end of an action fails no other action", async () => {
  const { value } = await open();
  const pid = await value("throwLater");
  expect(await value("rest")).toBe(pid);
});

test("closing ends all processes and fails their actions", async () => {
  const { actions, run, where } = await open();
  const [pid, folder] = await where();
  const loop = run("loop");
  await actions.close();
  expect(await loop).toEqual({ kind: "ended", message: "Transient error while executing action" });
  expect([isAlive(pid), existsSync(folder)]).toEqual([false, false]);
  expect(await run("where")).toMatchObject({ kind: "ended" });
});

const analysisOf = (bundle: NodeBundle, env = {}) => new NodeActions({ bundle, env: () => env }).analyze();

test("the analysis reads what modules define, with the variables", async () => {
  const bundle = await bundleNodeModule(`
    if (process.env.KEY !== "secret") throw new Error("KEY is missing");
    export const f = action({ args: {}, handler: () => 1 });
    export default internalActionGeneric({ handler: () => 2 });
    export const other = 3;`);
  const analysis = await analysisOf(bundle, { KEY: "secret" });
  expect(analysis).toMatchObject({ kind: "analyzed" });
  if (analysis.kind !== "analyzed") return;
  expect(analysis.functions).toHaveLength(2);
  expect(analysis.functions).toContainEqual({
    module: "a",
    name: "f",
    type: "Action",
    visibility: "public",
    args: '{"type":"object","value":{}}',
    returns: "null",
  });
  expect(await analysisOf(bundle)).toMatchObject({ kind: "broken", module: "a" });
});

test("an external package is imported from the project", async () => {
  const outcome = await bundleProject({
    "convex/a.ts": `"use node"; import { actionGeneric } from "convex/server"; import { thing } from "thing";
      export const f = actionGeneric({ args: {}, handler: () => thing });`,
    "convex.json": '{ "node": { "externalPackages": ["thing"] } }',
    "package.json": '{ "dependencies": { "thing": "^1.0.0" } }',
    "node_modules/thing/package.json": '{ "name": "thing", "exports": "./index.js" }',
    "node_modules/thing/index.js": "exports.thing = __dirname;",
  });
  if (outcome.kind === "failed" || outcome.bundle.node === null) throw new Error("not bundled");
  const { value } = await open({ bundle: outcome.bundle.node });
  expect(await value("f")).toMatch(/tmp-\w+[\\/]node_modules[\\/]thing$/);
});

test("a module that ends its process is reported", async () => {
  const bundle = await bundleNodeModule("process.exit(3);");
  expect(await analysisOf(bundle)).toMatchObject({
    kind: "ended",
    message: expect.stringContaining("exit code 3") as string,
  });
});

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

// The package as its users get it: packed, installed into a project outside of this repository, and used there.
const run = promisify(execFile);
const packageFolder = resolve(import.meta.dirname, "../../packages/embedded");

/** An ordinary first app, as Convex's own tutorial builds it. */
const app = {
  "schema.ts": `
    import { defineSchema, defineTable } from "convex/server";
    import { v } from "convex/values";
    export default defineSchema({
      tasks: defineTable({ text: v.string(), isCompleted: v.boolean() }),
      ticks: defineTable({}),
    });`,
  "tasks.ts": `
    import { v } from "convex/values";
    import { api } from "./_generated/api";
    import { action, mutation, query } from "./_generated/server";
    export const list = query({
      args: {},
      handler: async (ctx) => await ctx.db.query("tasks").collect(),
    });
    export const add = mutation({
      args: { text: v.string() },
      handler: async (ctx, { text }) => await ctx.db.insert("tasks", { text, isCompleted: false }),
    });
    export const complete = mutation({
      args: { id: v.id("tasks") },
      handler: async (ctx, { id }) => await ctx.db.patch(id, { isCompleted: true }),
    });
    export const addTwice = action({
      args: { text: v.string() },
      handler: async (ctx, { text }) => {
        await ctx.runMutation(api.tasks.add, { text });
        await ctx.runMutation(api.tasks.add, { text });
        return (await ctx.runQuery(api.tasks.list, {})).length;
      },
    });`,
  "ticks.ts": `
    import { internalMutation, query } from "./_generated/server";
    export const tick = internalMutation({ args: {}, handler: async (ctx) => { await ctx.db.insert("ticks", {}); } });
    export const any = query({ args: {}, handler: async (ctx) => (await ctx.db.query("ticks").first()) !== null });`,
  "crons.ts": `
    import { cronJobs } from "convex/server";
    import { internal } from "./_generated/api";
    const crons = cronJobs();
    crons.interval("tick", { seconds: 1 }, internal.ticks.tick, {});
    export default crons;`,
  "http.ts": `
    import { httpRouter } from "convex/server";
    import { api } from "./_generated/api";
    import { httpAction } from "./_generated/server";
    const http = httpRouter();
    http.route({
      path: "/tasks",
      method: "GET",
      handler: httpAction(async (ctx) => Response.json(await ctx.runQuery(api.tasks.list, {}))),
    });
    export default http;`,
};

type Task = { readonly _id: string; readonly text: string; readonly isCompleted: boolean };

const tasks = {
  list: makeFunctionReference<"query", Record<string, never>, Task[]>("tasks:list"),
  add: makeFunctionReference<"mutation", { text: string }, string>("tasks:add"),
  complete: makeFunctionReference<"mutation", { id: string }, null>("tasks:complete"),
  addTwice: makeFunctionReference<"action", { text: string }, number>("tasks:addTwice"),
};
const hasTicked = makeFunctionReference<"query", Record<string, never>, boolean>("ticks:any");

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "foreign-"));
  const { stdout } = await run("npm", ["pack", "--json", "--silent", "--pack-destination", project], {
    cwd: packageFolder,
  });
  const tarball = /"filename": "([^"]+)"/.exec(stdout)?.[1] ?? "";
  const foreign = {
    name: "foreign",
    private: true,
    type: "module",
    dependencies: { convex: manifest.dependencies.convex, "@gleaner/embedded": `file:${tarball}` },
    devDependencies: { typescript: manifest.devDependencies.typescript },
  };
  await writeFile(join(project, "package.json"), JSON.stringify(foreign));
  await mkdir(join(project, "convex"));
  for (const [name, code] of Object.entries(app)) await writeFile(join(project, "convex", name), code);
  await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: project });
  await run("npx", ["convex", "codegen", "--system-udfs", "--typecheck", "disable"], { cwd: project });
});

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

type Started = { readonly url: string; readonly siteUrl: string; readonly stop: () => Promise<void> };

async function start(): Promise<Started> {
  const args = ["--convex", "convex", "--data", "data.sqlite", "--port", "0", "--site-port", "0"];
  const child: ChildProcess = spawn("npx", ["convex-embedded", ...args, "--with-parent"], {
    cwd: project,
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, CONVEX_EMBEDDED_ADMIN_KEY: "foreign|0123456789" },
  });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    const { url, siteUrl } = JSON.parse(line) as { url: string; siteUrl: string };
    const stop = async (): Promise<void> => {
      child.stdin?.end();
      await ended;
    };
    return { url, siteUrl, stop };
  }
  throw new Error("The backend did not start");
}

test("--help explains the options", async () => {
  const { stdout } = await run("npx", ["convex-embedded", "--help"], { cwd: project });
  expect(stdout).toContain("--convex FOLDER");
});

test("an ordinary app runs with Convex's clients, and keeps its data over a restart", async () => {
  const first = await start();
  const http = new ConvexHttpClient(first.url, { logger: false });
  const live = new ConvexClient(first.url);
  const seen: string[][] = [];
  live.onUpdate(tasks.list, {}, (list) => seen.push(list.map(({ text }) => text)));

  const id = await live.mutation(tasks.add, { text: "buy milk" });
  await http.mutation(tasks.complete, { id });
  expect(await http.action(tasks.addTwice, { text: "water plants" })).toBe(3);
  await expect.poll(() => seen.at(-1)).toEqual(["buy milk", "water plants", "water plants"]);
  const overHttp = (await (await fetch(`${first.siteUrl}/tasks`)).json()) as Task[];
  expect(overHttp.map(({ isCompleted }) => isCompleted)).toEqual([true, false, false]);
  await expect.poll(() => http.query(hasTicked, {})).toBe(true);
  await live.close();
  await first.stop();

  const second = await start();
  expect(await new ConvexHttpClient(second.url, { logger: false }).query(tasks.list, {})).toEqual(overHttp);
  await second.stop();
});

test("the package is usable from a program", async () => {
  const program = `
      import { startBackend } from "@gleaner/embedded";
      const options = { convexDir: "convex", dataFile: ":memory:", port: 0, sitePort: 0, adminKey: "key" };
      const backend = await startBackend(options);
      console.log(await (await fetch(backend.url + "/version")).text());
      await backend.close();`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: project });
  expect(stdout.trim()).not.toBe("");
});

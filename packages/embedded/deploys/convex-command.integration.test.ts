import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { functionsFolder, type Sources, writeSources } from "../runtime/bundle/functions.fixture.ts";
import { startBackend } from "../server.ts";

// Each command takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const convexCli = join(import.meta.dirname, "../../../node_modules/convex/bin/main.js");
const adminKey = "test|key";
const which = makeFunctionReference<"query", Record<string, never>, string>("app:which");
const put = makeFunctionReference<"mutation", { n: number }, null>("app:put");
const server = `import { mutation, query } from "./_generated/server";`;
const app = (version: string): Sources => ({
  "app.ts": `${server}
    export const which = query({ handler: () => "${version}" });
    export const put = mutation({ handler: async (ctx, { n }) => { await ctx.db.insert("things", { n }); } });
    export const bad = query({ handler: () => {
      throw new Error("always");
    } });`,
});
const schemaOf = (type: string): Sources => ({
  "schema.ts": `import { defineSchema, defineTable } from "convex/server";
    import { v } from "convex/values";
    export default defineSchema({ things: defineTable({ n: v.${type}() }).index("by_n", ["n"]) });`,
});

type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Starts a backend, and makes a project with other functions for the convex command to push. */
async function start(sources: Sources, atStart: Sources = { "old.ts": "export {};" }) {
  const folder = await functionsFolder(atStart);
  const project = dirname(folder);
  const data = await mkdtemp(join(tmpdir(), "pushes-"));
  const backend = await startBackend({
    convexDir: folder,
    dataFile: join(data, "data.sqlite"),
    port: 0,
    sitePort: 0,
    adminKey,
  });
  onTestFinished(async () => {
    await backend.close();
    await rm(data, { recursive: true });
  });
  await writeSources(folder, sources);
  const convex = (...args: string[]): Promise<Ran> => {
    const own = { CONVEX_SELF_HOSTED_URL: backend.url, CONVEX_SELF_HOSTED_ADMIN_KEY: adminKey };
    const env = { PATH: process.env["PATH"], HOME: project, ...own };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [convexCli, ...args],
        { cwd: project, env, timeout: 60_000 },
        (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
        },
      );
    });
  };
  const http = new ConvexHttpClient(backend.url, { logger: false });
  return { backend, folder, convex, http };
}

const deploy = ["deploy", "--typecheck", "disable"];
const allowed = "--allow-unstaging-schema";

test("npx convex deploy replaces the functions while clients stay connected", async () => {
  const { backend, folder, convex, http } = await start({ ...app("first"), ...schemaOf("number") });
  const first = await convex(...deploy);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toContain("things.by_n");
  expect(await http.query(which)).toBe("first");
  const client = new ConvexClient(backend.url, { logger: false, unsavedChangesWarning: false });
  onTestFinished(() => client.close());
  const seen: string[] = [];
  client.onUpdate(which, {}, (value) => seen.push(value));
  await expect.poll(() => seen).toEqual(["first"]);
  const { connectionCount } = client.connectionState();
  await writeSources(folder, app("second"));
  const second = await convex(...deploy);
  expect(second.code, second.stderr).toBe(0);
  await expect.poll(() => seen).toEqual(["first", "second"]);
  expect(client.connectionState().connectionCount).toBe(connectionCount);
  const failed = await convex("run", "app:bad");
  expect(failed.stderr).toMatch(/Uncaught Error: always\s+at handler \(\.\.\/convex\/app\.ts:5:/);
});

test("a push whose schema stored documents do not fit is refused, and changes nothing", async () => {
  const { folder, convex, http } = await start(app("first"));
  expect((await convex(...deploy)).code).toBe(0);
  await http.mutation(put, { n: 1 });
  await writeSources(folder, { ...app("second"), ...schemaOf("string") });
  const refused = await convex(...deploy);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('in table "things" does not match the schema');
  expect(await http.query(which)).toBe("first");
});

test("npx convex deploy tells whether the documents fit a staged validator, and applies it", async () => {
  const { folder, convex, http } = await start(app("first"));
  const deployed = async (table: string, ...args: string[]): Promise<Ran> => {
    await writeSources(folder, {
      "schema.ts": `import { defineSchema, defineTable } from "convex/server";
        import { v } from "convex/values";
        export default defineSchema({ things: ${table} });`,
    });
    return convex(...deploy, ...args);
  };
  const now = "defineTable({ n: v.number() })";
  expect((await deployed(`${now}.staged({ n: v.string() })`)).code).toBe(0);
  await http.mutation(put, { n: 1 });
  const misfit = await deployed(`${now}.staged({ n: v.string() })`);
  expect(misfit.code, misfit.stderr).toBe(0);
  expect(misfit.stderr).toMatch(/things: failed: Document with ID "\w+" in table "things" does not match/);
  const both = "v.union(v.literal(1), v.string())";
  expect((await deployed(`${now}.staged({ n: ${both} })`)).code).toBe(0);
  const removed = await deployed(now);
  expect(removed.code).not.toBe(0);
  expect(removed.stderr).toContain("discards staged schema validation");
  const conflict = await deployed("defineTable({ n: v.literal(1) }).staged({ n: v.string() })", allowed);
  expect(conflict.code).not.toBe(0);
  expect(conflict.stderr).toContain("enforced validator change needs their documents walked: things.");
  const applied = await deployed(`defineTable({ n: ${both} })`);
  expect(applied.code, applied.stderr).toBe(0);
  expect(applied.stderr).toContain("validated. This deploy applies the staged schema");
  await expect(http.mutation(put, { n: 2 })).rejects.toThrow("does not match the schema");
});

test("a module that fails while it is loaded fails the push with its line", async () => {
  const { folder, convex, http } = await start(app("first"));
  expect((await convex(...deploy)).code).toBe(0);
  await writeSources(folder, { "app.ts": `export const value = 1;\nthrow new Error("not today");` });
  const refused = await convex(...deploy);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/Uncaught Error: not today\s+at <anonymous> \(\.\.\/convex\/app\.ts:2:7\)/);
  expect(refused.stderr).not.toContain("Retrying");
  expect(await http.query(which)).toBe("first");
});

test('"use node" actions are pushed, with code that they share', async () => {
  const shared = { "shared.ts": `export const word = "shared";` };
  const nodeAction = (version: string) => `"use node";
    import { action } from "%"; import { sep } from "node:path"; import { word } from "@";
    export const tells = action({ handler: async () => ["${version}", word, sep, typeof process.pid].join(" ") });`;
  const sources = (version: string): Sources => ({
    ...shared,
    "one.ts": nodeAction(version).replace("%", "./_generated/server").replace("@", "./shared"),
    "actions/two.ts": nodeAction(version).replace("%", "../_generated/server").replace("@", "../shared"),
  });
  const { folder, convex } = await start(sources("first"));
  for (const version of ["first", "second"]) {
    await writeSources(folder, sources(version));
    const pushed = await convex(...deploy);
    expect(pushed.code, pushed.stderr).toBe(0);
    for (const name of ["one:tells", "actions/two:tells"]) {
      const ran = await convex("run", name);
      expect(ran.stdout.trim(), ran.stderr).toBe(`"${version} shared / number"`);
    }
  }
});

test('the error of a "use node" action that a push outlasts has the lines of its own code', async () => {
  const sources = (version: string, blank: string): Sources => ({
    ...app(version),
    "slow.ts": `"use node"; import { makeFunctionReference as ref, actionGeneric as action } from "convex/server";${blank}
      export const fails = action({ handler: async (ctx) => {
        while (await ctx.runQuery(ref("app:which"), {}) !== "second") await new Promise((go) => setTimeout(go, 20));
        throw new Error("late");
      } });`,
  });
  const { folder, convex, http } = await start(sources("first", ""));
  expect((await convex(...deploy)).code).toBe(0);
  const failed = http.action(makeFunctionReference<"action">("slow:fails")).catch(String);
  await writeSources(folder, sources("second", "\n\n"));
  expect((await convex(...deploy)).code).toBe(0);
  expect(await failed).toMatch(/Uncaught Error: late\s+at handler \(\.\.\/convex\/slow\.ts:4:/);
});

test('npx convex env set starts "use node" actions that need the variable', async () => {
  const source = `"use node"; import { actionGeneric as action } from "convex/server";
    if (process.env.PLANET === undefined) throw new Error("PLANET is missing");
    export const which = action({ handler: async () => process.env.PLANET });`;
  const { convex } = await start({}, { "app.ts": source });
  expect((await convex("run", "app:which")).stderr).toContain("PLANET is missing");
  expect((await convex("env", "set", "PLANET", "mars")).code).toBe(0);
  expect((await convex("run", "app:which")).stdout.trim()).toBe('"mars"');
});

test("npx convex codegen, dev --once, run --push and deploy --dry-run work with components", async () => {
  const { folder, convex, http } = await start({
    ...app("first"),
    "convex.config.ts": `import { defineApp } from "convex/server";
      import limiter from "@convex-dev/rate-limiter/convex.config";
      const app = defineApp(); app.use(limiter); export default app;`,
    "limits.ts": `${server} import { components } from "./_generated/api";
      import { RateLimiter } from "@convex-dev/rate-limiter";
      const limiter = new RateLimiter(components.rateLimiter, { tap: { kind: "fixed window", rate: 1, period: 86_400_000 } });
      export const tap = mutation({ handler: async (ctx) => (await limiter.limit(ctx, "tap")).ok });`,
  });
  const options = ["--typecheck", "disable"];
  const generated = await convex("codegen", ...options);
  expect(generated.code, generated.stderr).toBe(0);
  expect(await readFile(join(folder, "_generated/api.d.ts"), "utf8")).toContain("rateLimiter");
  // Nothing was deployed so far.
  await expect(http.query(which)).rejects.toThrow("Could not find");
  expect((await convex("deploy", "--dry-run", ...options)).code).toBe(0);
  await expect(http.query(which)).rejects.toThrow("Could not find");
  const dev = await convex("dev", "--once", ...options);
  expect(dev.code, dev.stderr).toBe(0);
  expect(await http.query(which)).toBe("first");
  expect((await convex("run", "limits:tap")).stdout.trim()).toBe("true");
  await writeSources(folder, app("second"));
  const pushed = await convex("run", "--push", ...options, "app:which");
  expect([pushed.stdout.trim(), pushed.code], pushed.stderr).toEqual(['"second"', 0]);
  expect((await convex("run", "limits:tap")).stdout.trim()).toBe("false");
});

test("what other versions of the command push is refused at once, and without the admin key all is", async () => {
  const { backend } = await start({});
  const push = async (path: string, key: string): Promise<number> => {
    const headers = { Authorization: `Convex ${key}` };
    return (await fetch(`${backend.url}/api/${path}`, { method: "POST", headers, body: "{}" })).status;
  };
  expect(await push("push_config", adminKey)).toBe(400);
  for (const path of ["push_config", "deploy2/start_push", "deploy2/finish_push", "run_test_function"]) {
    expect([path, await push(path, "wrong")]).toEqual([path, 403]);
  }
});

test("npx convex env set starts functions that need the variable", async () => {
  const source = `import { queryGeneric as query } from "convex/server";
    if (process.env.PLANET === undefined) throw new Error("PLANET is missing");
    export const which = query({ handler: () => process.env.PLANET });`;
  const { backend, convex, http } = await start({}, { "app.ts": source });
  const failed = await convex("run", "app:which");
  expect(failed.stderr).toContain("PLANET is missing");
  const set = await convex("env", "set", "PLANET", "mars");
  expect(set.code, set.stderr).toBe(0);
  expect((await convex("env", "list")).stdout).toContain("PLANET=mars");
  expect((await fetch(`${backend.url}/ready`)).status).toBe(200);
  expect(await http.query(which)).toBe("mars");
});

test("npx convex env set lets a push succeed that needs the variable", async () => {
  const source = `const planet = process.env.PLANET;
    if (planet === undefined) throw new Error("PLANET is missing");
    ${server}
    export const which = query({ handler: () => planet });`;
  const { convex, http } = await start({ "app.ts": source });
  const refused = await convex(...deploy);
  expect(refused.stderr).toContain("PLANET is missing");
  expect((await convex("env", "set", "PLANET", "mars")).code).toBe(0);
  expect((await convex(...deploy)).code).toBe(0);
  expect(await http.query(which)).toBe("mars");
});

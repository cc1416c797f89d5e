import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { bundleSources } from "../bundle/functions.fixture.ts";
import { type Fixture, openFixture, request, valueOf } from "../runtime.fixture.ts";

const server = `import {
  actionGeneric as action, makeFunctionReference as ref, mutationGeneric as mutation, queryGeneric as query,
} from "convex/server";`;
const schemaOf = (table: string): string =>
  `import { defineSchema, defineTable } from "convex/server";
   import { v } from "convex/values";
   export default defineSchema({ things: ${table} });`;

/** Version N of an app. */
const app = (version: number): { readonly [path: string]: string } => ({
  "app.ts": `${server}
    export const which = query({ handler: () => ${version} });
    export const put = mutation({ handler: (ctx, { n }) => ctx.db.insert("things", { n }) });
    export const slowPut = mutation({ handler: async (ctx) => {
      for (let i = 0; i < 50; i += 1) await ctx.db.query("things").first();
      await ctx.db.insert("things", { n: ${version} });
      return ${version};
    } });
    export const waits = action({ handler: async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return [${version}, await ctx.runQuery(ref("app:which"), {})];
    } });`,
});

async function open(version = 1, more: { readonly [path: string]: string } = {}): Promise<Fixture> {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  return openFixture({ engine, bundle: await bundleSources({ ...app(version), ...more }) });
}

async function deploy({ runner }: Fixture, sources: { readonly [path: string]: string }): Promise<void> {
  await runner.code.deploy(runner.code.load(await bundleSources(sources)));
}

test("a deploy replaces the functions", async () => {
  const fixture = await open();
  expect(await fixture.call("app:which")).toBe(1);
  await deploy(fixture, app(2));
  expect(await fixture.call("app:which")).toBe(2);
});

test("all subscriptions fire, so that live queries run again", async () => {
  const fixture = await open();
  const run = await fixture.runner.runQuery(request("app:which"));
  const fired = new Promise((resolve) => fixture.engine.subscribe(run.readSet, run.ts, resolve));
  await deploy(fixture, app(2));
  expect(await fired).toBe(fixture.engine.durable());
});

test("a running mutation ends with the old code, and a later one waits for the new code", async () => {
  const fixture = await open();
  const code = fixture.runner.code.load(await bundleSources(app(2)));
  const before = fixture.call("app:slowPut");
  // The mutation has begun when its first read is done.
  await new Promise((resolve) => setImmediate(resolve));
  const deployed = fixture.runner.code.deploy(code);
  const after = fixture.call("app:slowPut");
  await deployed;
  expect(await Promise.all([before, after])).toEqual([1, 2]);
});

test("a running action goes on with its own code, and calls the new functions", async () => {
  const fixture = await open();
  const code = fixture.runner.code.load(await bundleSources(app(2)));
  const running = fixture.call("app:waits");
  await fixture.runner.code.deploy(code);
  expect(await running).toEqual([1, 2]);
});

test("a waiting call of a removed function fails", async () => {
  const fixture = await open();
  const code = fixture.runner.code.load(await bundleSources({ "other.ts": "export {};" }));
  const running = fixture.call("app:slowPut");
  await new Promise((resolve) => setImmediate(resolve));
  const deployed = fixture.runner.code.deploy(code);
  const waiting = fixture.runner.runMutation(request("app:slowPut"));
  await deployed;
  expect(await running).toBe(1);
  const { outcome } = await waiting;
  expect(outcome).toMatchObject({ message: expect.stringContaining("Could not find public function") });
});

test("a deploy fills new indexes from the stored documents", async () => {
  const fixture = await open(1, { "schema.ts": schemaOf("defineTable(v.any())") });
  for (const n of [3, 1, 2]) await fixture.call("app:put", { n });
  await deploy(fixture, {
    "schema.ts": schemaOf(`defineTable({ n: v.number() }).index("by_n", ["n"])`),
    "app.ts": `${server}
      export const sorted = query({ handler: async (ctx) =>
        (await ctx.db.query("things").withIndex("by_n").collect()).map(({ n }) => n) });`,
  });
  expect(await fixture.call("app:sorted")).toEqual([1, 2, 3]);
});

test("a schema that stored documents do not fit is refused, and the old code stays", async () => {
  const fixture = await open();
  await fixture.call("app:put", { n: 1 });
  const unfit = { ...app(2), "schema.ts": schemaOf("defineTable({ n: v.string() })") };
  const { code } = fixture.runner;
  const loaded = code.load(await bundleSources(unfit));
  expect(() => code.check(loaded)).toThrow(/in table "things" does not match the schema/);
  await expect(code.deploy(loaded)).rejects.toThrow(/does not match the schema/);
  expect(await fixture.call("app:which")).toBe(1);
  valueOf(await fixture.runner.runMutation(request("app:put", { n: 2 })));
});

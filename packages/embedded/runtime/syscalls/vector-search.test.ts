import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { bundleSources } from "../bundle/functions.fixture.ts";
import { openFixture } from "../runtime.fixture.ts";

const app = (index: string) => ({
  "schema.ts": `import { defineSchema, defineTable } from "convex/server";
    import { v } from "convex/values";
    export default defineSchema({ points: defineTable({ v: v.array(v.number()) })${index} });`,
  "app.ts": `import { actionGeneric as action, mutationGeneric as mutation } from "convex/server";
    export const fill = mutation({ handler: async (ctx) => {
      for (let i = 0; i < 8000; i += 1) await ctx.db.insert("points", { v: [1, i] });
    } });
    export const nearest = action({ handler: async (ctx) =>
      (await ctx.vectorSearch("points", "by_v", { vector: [0, 1], limit: 1 }))[0]?._score > 0.99999 });`,
});

test("a push that removes a vector index waits for the searches in it", async () => {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const withIndex = app(`.vectorIndex("by_v", { vectorField: "v", dimensions: 2 })`);
  const { runner, call } = await openFixture({ engine, bundle: await bundleSources(withIndex) });
  const code = runner.code.load(await bundleSources(app("")));
  for (let i = 0; i < 2; i += 1) await call("app:fill");
  const searching = call("app:nearest");
  // The first slice of the search ends with a turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  const deployed = runner.code.deploy(code);
  expect(await searching).toBe(true);
  await deployed;
  await expect(call("app:nearest")).rejects.toThrow("Index points.by_v not found.");
});

import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { asAdmin, isEmbedded } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { push, startPush } from "./push.ts";

const which = makeFunctionReference<"query", Record<string, never>, string>("app:which");
const slow = makeFunctionReference<"mutation", Record<string, never>, string>("app:slow");
const add = makeFunctionReference<"mutation", { n: number | string }>("app:add");
const find = makeFunctionReference<"query", { n: number }, number>("app:find");
const usage = makeFunctionReference<"query", Record<string, never>, { running: number }>(
  "_system/embedded/usage",
);

/** An app with one table, whose functions tell their version. */
const app = (version: string, things: string) => ({
  "schema.ts": `import { defineSchema, defineTable } from "convex/server";
    import { v } from "convex/values";
    export default defineSchema({ things: ${things} });`,
  "app.ts": `import { queryGeneric as query, mutationGeneric as mutation } from "convex/server";
    export const which = query({ handler: () => "${version}" });
    export const slow = mutation({ handler: async (ctx) => {
      for (let n = 0; n < 10; n += 1) await ctx.db.query("things").first();
      return "${version}";
    } });
    export const add = mutation({ handler: async (ctx, { n }) => { await ctx.db.insert("things", { n }); } });
    export const find = query({ handler: async (ctx, { n }) =>
      (await ctx.db.query("things").withIndex("by_n", (q) => q.eq("n", n)).collect()).length });`,
});

const plain = "defineTable({ n: v.any() })";

async function start(...args: readonly string[]) {
  const backend = await startEmbedded({ args });
  onTestFinished(backend.stop);
  return { backend, client: new ConvexHttpClient(backend.url, { logger: false }) };
}

// docs/embedded.md has a table of these differences.
describe.skipIf(!isEmbedded)("how schemas change, unlike on Convex Cloud", () => {
  test("calls wait until a push has waited for running functions, and has filled its indexes", async () => {
    const { backend, client } = await start("--read-latency-ms", "300");
    await push(backend, app("first", plain));
    await client.mutation(add, { n: 7 });
    const second = await startPush(backend, app("second", `${plain}.index("by_n", ["n"])`));
    const admin = asAdmin(new ConvexHttpClient(backend.url, { logger: false }), backend.adminKey);
    let isRunning = true;
    const running = client.mutation(slow, {}).finally(() => (isRunning = false));
    await expect.poll(async () => (await admin.query(usage, {})).running).toBe(1);
    const finished = second.finish();
    // The first calls may arrive before the push does.
    const waited: Promise<string>[] = [];
    while (isRunning) {
      waited.push(new ConvexHttpClient(backend.url, { logger: false }).query(which, {}));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await running).toBe("first");
    await finished;
    expect(await Promise.all(waited)).toContain("second");
    expect(await client.query(find, { n: 7 })).toBe(1);
  });

  test("a staged index is filled when it is no longer staged", async () => {
    const { backend, client } = await start();
    const index = (staged: boolean) => `${plain}.index("by_n", { fields: ["n"], staged: ${String(staged)} })`;
    await push(backend, app("first", index(true)));
    await client.mutation(add, { n: 7 });
    await expect(client.query(find, { n: 7 })).rejects.toThrow("things.by_n");
    const unstaged = await startPush(backend, app("second", index(false)));
    expect(unstaged.evaluation.indexes).toMatchObject([{ name: "things.by_n", needsBackfill: true }]);
    await unstaged.finish();
    expect(await client.query(find, { n: 7 })).toBe(1);
  });

  test("stored documents are compared with a staged validator when a push asks", async () => {
    const { backend, client } = await start();
    const staged = app("first", `${plain}.staged({ n: v.string() })`);
    await push(backend, app("first", plain));
    await push(backend, staged);
    const stateAfter = async (n: number | string) => {
      await client.mutation(add, { n });
      return (await startPush(backend, staged)).evaluation.tables;
    };
    expect(await stateAfter("text")).toMatchObject([{ name: "things", staged: { state: "valid" } }]);
    expect(await stateAfter(7)).toMatchObject([{ name: "things", staged: { state: "failed" } }]);
  });

  test("a table may have 64 indexes of all kinds, and no more", async () => {
    const { backend } = await start();
    const indexes = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        n < 10
          ? `.searchIndex("i${String(n)}", { searchField: "f${String(n)}" })`
          : `.index("i${String(n)}", ["f${String(n)}"])`,
      ).join("");
    await push(backend, app("first", `defineTable(v.any())${indexes(64)}`));
    const more = startPush(backend, app("second", `defineTable(v.any())${indexes(65)}`));
    await expect(more).rejects.toThrow("cannot have more than 64 indexes");
  });
});

import { v } from "convex/values";
import { action, mutation, query } from "./builders.ts";

/** Returns the clock and the random numbers of a deterministic function. */
export const looks = mutation({
  args: {},
  handler: async (ctx) => {
    const first = Date.now();
    let spun = 0;
    for (let n = 0; n < 2_000_000; n += 1) spun += n % 7;
    await ctx.db.query("counters").first();
    return {
      times: [first, Date.now(), new Date().getTime()],
      randoms: [Math.random(), Math.random(), Math.random()],
      spun,
    };
  },
});

const tried = (act: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(act)
    .then(
      () => "allowed",
      (error: Error) => error.message,
    );

export const forbidden = query({
  args: {},
  handler: async () => ({
    fetch: await tried(() => fetch("https://example.com")),
    timer: await tried(() => setTimeout(() => undefined, 1)),
  }),
});

export const logs = query({
  args: { text: v.string() },
  handler: (_, { text }) => {
    console.log(text, { a: [1, null] });
    console.warn("careful");
    console.error("broken");
    return null;
  },
});

export const manyReads = query({
  args: { owner: v.string() },
  handler: async (ctx, { owner }) => {
    const read = () =>
      ctx.db
        .query("things")
        .withIndex("by_value", (q) => q.eq("owner", owner))
        .first();
    for (let n = 0; n < 4_200; n += 1) await read();
    return null;
  },
});

export const endless = query({
  args: {},
  handler: async () => {
    await new Promise(() => undefined);
    return null;
  },
});

export const spins = query({
  args: {},
  handler: () => {
    for (let n = 0; ; n += 1) if (n < 0) return n;
  },
});

export const bigReturn = action({
  args: { mebibytes: v.number() },
  handler: (_, { mebibytes }) => Promise.resolve("x".repeat(mebibytes * 1024 * 1024)),
});

/** Bytes, or UTF-16 units of text. */
export const measure = mutation({
  args: { value: v.union(v.bytes(), v.string()) },
  handler: (_, { value }) => (typeof value === "string" ? value.length : value.byteLength),
});

export const bigDocument = mutation({
  args: { owner: v.string(), bytes: v.number() },
  handler: async (ctx, { owner, bytes }) => {
    await ctx.db.insert("things", { owner, value: "x".repeat(bytes) });
    return null;
  },
});

export const deepValue = mutation({
  args: { owner: v.string(), depth: v.number() },
  handler: async (ctx, { owner, depth }) => {
    let value: unknown = 1;
    for (let n = 0; n < depth; n += 1) value = [value];
    await ctx.db.insert("things", { owner, value });
    return null;
  },
});

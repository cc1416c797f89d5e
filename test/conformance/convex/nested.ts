import { makeFunctionReference } from "convex/server";
import { ConvexError, v, type Value } from "convex/values";
import { action, internalMutation, mutation, query } from "./builders.ts";

type Send = { channel: string; body: string };
const sendThenFailReference = makeFunctionReference<"mutation", Send & { data: Value }>(
  "nested:sendThenFail",
);
const sendReference = makeFunctionReference<"mutation", Send>("messages:send");
const listReference = makeFunctionReference<"query", { channel: string }, string[]>("messages:list");
const failReference = makeFunctionReference<"mutation", { data: Value }>("values:failWithData");

export const sendThenFail = internalMutation({
  args: { channel: v.string(), body: v.string(), data: v.any() },
  handler: async (ctx, { data, ...message }) => {
    await ctx.db.insert("messages", { ...message, n: 0 });
    throw new ConvexError(data as string);
  },
});

/** Writes before, between and after nested mutations, one of which fails. */
export const outer = mutation({
  args: { channel: v.string(), isCaught: v.boolean() },
  handler: async (ctx, { channel, isCaught }) => {
    await ctx.db.insert("messages", { channel, body: "before", n: 0 });
    await ctx.runMutation(sendReference, { channel, body: "nested" });
    const failing = ctx.runMutation(sendThenFailReference, { channel, body: "failed", data: { why: 7n } });
    const caught = isCaught ? await failing.catch((error: ConvexError<Value>) => error.data) : await failing;
    await ctx.db.insert("messages", { channel, body: "after", n: 0 });
    return { caught: caught as Value, seen: await ctx.runQuery(listReference, { channel }) };
  },
});

/** Returns a mutation's error as an action sees it. */
export const caughtInAction = action({
  args: { data: v.any() },
  handler: async (ctx, { data }): Promise<Value> =>
    ctx.runMutation(failReference, { data: data as Value }).then(
      () => "nothing",
      (error: unknown) => (error instanceof ConvexError ? (error.data as Value) : "another error"),
    ),
});

export const failingQuery = query({
  args: { data: v.any() },
  handler: (_, { data }) => {
    throw new ConvexError(data as string);
  },
});

export const failingAction = action({
  args: { data: v.any() },
  handler: (_, { data }) => {
    throw new ConvexError(data as string);
  },
});

export const slow = action({
  args: { ms: v.number() },
  handler: async (_, { ms }) => {
    const started = Date.now();
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { started, ended: Date.now() };
  },
});

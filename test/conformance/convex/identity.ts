import { httpActionGeneric, makeFunctionReference, type UserIdentity } from "convex/server";
import { v } from "convex/values";
import { action, internalMutation, mutation, query, type Reader } from "./builders.ts";

const wholeReference = makeFunctionReference<"query", Record<string, never>, UserIdentity | null>(
  "identity:whole",
);
const sayReference = makeFunctionReference<"mutation", { channel: string; body: string }>("identity:say");
const sayUnheardReference = makeFunctionReference<"mutation", { channel: string; body: string }>(
  "identity:sayUnheard",
);

const message = { channel: v.string(), body: v.string() };

export const whole = query({ args: {}, handler: (ctx) => ctx.auth.getUserIdentity() });

/** Returns the identities of an action and of the functions that it calls. */
export const throughAction = action({
  args: message,
  handler: async (ctx, args) => {
    await ctx.runMutation(sayReference, args);
    const own = await ctx.auth.getUserIdentity();
    const called = await ctx.runQuery(wholeReference, {});
    return { own: own?.subject ?? null, called: called?.subject ?? null };
  },
});

export const say = mutation({
  args: message,
  handler: async (ctx, { channel, body }) => {
    const who = (await ctx.auth.getUserIdentity())?.subject ?? "nobody";
    await ctx.db.insert("messages", { channel, body: `${who}: ${body}`, n: 0 });
  },
});

export const sayUnheard = internalMutation({
  args: message,
  handler: (ctx, args) => ctx.runMutation(sayReference, args),
});

export const sayLater = mutation({
  args: message,
  handler: async (ctx, args) => {
    await ctx.scheduler.runAfter(0, sayUnheardReference, args);
  },
});

/** Returns the caller's messages. */
export const mine = query({
  args: { channel: v.string() },
  handler: async (ctx, { channel }) => {
    const who = (await ctx.auth.getUserIdentity())?.subject ?? "nobody";
    return (await inChannel(ctx.db, channel)).filter((body) => body.startsWith(`${who}: `));
  },
});

async function inChannel(db: Reader, channel: string): Promise<string[]> {
  const rows = db.query("messages").withIndex("by_channel", (q) => q.eq("channel", channel));
  return (await rows.collect()).map(({ body }) => body);
}

/** With `?of=query`, returns the identity that a nested query sees. */
export const answerWhoami = httpActionGeneric(async (ctx, request) => {
  const ofQuery = new URL(request.url).searchParams.get("of") === "query";
  return Response.json(ofQuery ? await ctx.runQuery(wholeReference, {}) : await ctx.auth.getUserIdentity());
});

import { ConvexError, v, type Value } from "convex/values";
import { mutation, query } from "./builders.ts";

export const echo = query({ args: { value: v.any() }, handler: (_, { value }) => value as Value });

export const strict = query({
  args: { count: v.number(), tag: v.optional(v.union(v.literal("a"), v.literal("b"))) },
  handler: (_, { count }) => count + 1,
});

export const wrongReturn = query({
  args: {},
  returns: v.string(),
  handler: () => 7 as unknown as string,
});

export const fail = query({
  args: { message: v.string() },
  handler: (_, { message }) => {
    throw new Error(message);
  },
});

export const failWithData = mutation({
  args: { data: v.any() },
  handler: (_, { data }) => {
    throw new ConvexError(data as string);
  },
});

/** The write must not outlive the failure. */
export const writeThenFail = mutation({
  args: { channel: v.string() },
  handler: async (ctx, { channel }) => {
    await ctx.db.insert("messages", { channel, body: "never", n: 0 });
    throw new ConvexError({ code: "rolled_back" });
  },
});

export const whoami = query({
  args: {},
  handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null,
});

export const environment = query({
  args: { name: v.string() },
  handler: (_, { name }) => process.env[name] ?? null,
});

import { getAuthSessionId, getAuthUserId } from "@convex-dev/auth/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const me = query({
  args: {},
  handler: async (ctx) => {
    const id = await getAuthUserId(ctx);
    if (id === null) return null;
    const { issuer, subject } = (await ctx.auth.getUserIdentity())!;
    const sessionId = await getAuthSessionId(ctx);
    return { email: (await ctx.db.get(id))?.email, issuer, isSubject: subject === `${id}|${sessionId}` };
  },
});

export const say = mutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const author = await getAuthUserId(ctx);
    if (author === null) throw new Error("Not signed in");
    await ctx.db.insert("messages", { author, text });
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const author = await getAuthUserId(ctx);
    const messages = await ctx.db.query("messages").collect();
    return messages.filter((message) => message.author === author).map(({ text }) => text);
  },
});

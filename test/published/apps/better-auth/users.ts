import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { authComponent, createAuth } from "./auth";

export const me = query({
  args: {},
  handler: async (ctx) => {
    const identity = await ctx.auth.getUserIdentity();
    const user = await authComponent.safeGetAuthUser(ctx);
    if (user === undefined) return null;
    const { email, name } = user;
    return { email, name, issuer: identity?.issuer, isSubject: identity?.subject === user._id };
  },
});

/** Calls Better Auth's own API in a mutation. */
export const rename = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    const { auth, headers } = await authComponent.getAuth(createAuth, ctx);
    await auth.api.updateUser({ body: { name }, headers });
  },
});

export const profiles = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("profiles").collect()).map(({ name }) => name),
});

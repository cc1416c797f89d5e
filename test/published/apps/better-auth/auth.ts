import { type AuthFunctions, createClient, type GenericCtx } from "@convex-dev/better-auth";
import { convex, crossDomain } from "@convex-dev/better-auth/plugins";
import { betterAuth } from "better-auth/minimal";
import { internal } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import authConfig from "./auth.config";
import { components } from "./components";

const authFunctions: AuthFunctions = internal.auth;

/** The app keeps a profile of each user of Better Auth. */
export const authComponent = createClient<DataModel>(components.betterAuth, {
  authFunctions,
  triggers: {
    user: {
      onCreate: async (ctx, { _id, name }) => {
        await ctx.db.insert("profiles", { authId: _id, name });
      },
      onUpdate: async (ctx, { _id, name }) => {
        const profile = await ctx.db
          .query("profiles")
          .withIndex("by_auth", (q) => q.eq("authId", _id))
          .unique();
        if (profile !== null) await ctx.db.patch(profile._id, { name });
      },
    },
  },
});

export const { onCreate, onUpdate, onDelete } = authComponent.triggersApi();

export const createAuth = (ctx: GenericCtx<DataModel>) =>
  betterAuth({
    baseURL: process.env["CONVEX_SITE_URL"],
    trustedOrigins: [process.env["SITE_URL"]!],
    database: authComponent.adapter(ctx),
    emailAndPassword: { enabled: true, requireEmailVerification: false },
    plugins: [crossDomain({ siteUrl: process.env["SITE_URL"]! }), convex({ authConfig })],
  });

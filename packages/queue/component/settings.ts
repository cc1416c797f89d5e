import { v } from "convex/values";
import { mutation, query } from "./builders.ts";
import { configure as configureScope } from "./model/configure.ts";
import { settingsOf } from "./model/settings.ts";
import { anything, settingsPatch } from "./validators.ts";

/**
 * Sets what a scope's settings are; "" for all scopes. Whatever is left out is the default again.
 * Refuses: invalid.
 */
export const configure = mutation({
  args: { scope: v.string(), values: settingsPatch, actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { scope, values, actor }) => {
    await configureScope(ctx, { scope, values, actor }, Date.now());
    return null;
  },
});

/** What holds for a scope: its own settings over those of all scopes over the defaults. */
export const get = query({
  args: { scope: v.string() },
  returns: anything,
  handler: async (ctx, { scope }) => await settingsOf(ctx, scope),
});

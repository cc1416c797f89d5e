import { v } from "convex/values";
import { anything, settingsPatch } from "../shared/validators.ts";
import { mutation, query } from "./model/builders.ts";
import { configure as configureScope } from "./model/configure.ts";
import { patchOf, settingsOf } from "./model/settings.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Replaces the settings of a scope, or of all scopes if `scope` is "". Settings that are left out return to their
 * default.
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

/** The settings that apply to a scope: its own, then those of all scopes, then the defaults. */
export const get = query({
  args: { scope: v.string() },
  returns: anything,
  handler: async (ctx, { scope }) => await settingsOf(ctx, scope),
});

/** The settings that were set for exactly this scope, or for all scopes with "". `configure` replaces them. */
export const own = query({
  args: { scope: v.string() },
  returns: settingsPatch,
  handler: async (ctx, { scope }) => await patchOf(ctx, scope),
});

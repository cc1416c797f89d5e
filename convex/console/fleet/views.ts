import { v } from "convex/values";
import { changeView, removeView, saveView, type Viewer, viewRow, viewsFor } from "../../model/fleet/views.ts";
import { may, type MemberCtx, memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { viewSettings } from "../../model/validators/fleet.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const saved = { name: v.string(), view: viewSettings, shared: v.boolean() };

/** The member's saved views of the devices and the shared ones, by name; at most 150. */
export const list = memberQuery("devices.read")({
  args: {},
  returns: v.array(viewRow),
  handler: async (ctx) => await viewsFor(ctx, viewerOf(ctx)),
});

/**
 * Saves a view under a name. To share it needs the right to change devices. Refuses: invalid, conflict (the name is taken, or there
 * are too many views), forbidden.
 */
export const save = memberMutation("devices.read")({
  args: saved,
  returns: v.id("deviceViews"),
  handler: async (ctx, wanted) => await saveView(ctx, viewerOf(ctx), wanted, ctx.by),
});

/** Changes parts of a view. Returns the view before, for an undo. Refuses: not_found, invalid, conflict, forbidden. */
export const change = memberMutation("devices.read")({
  args: {
    viewId: v.id("deviceViews"),
    name: v.optional(v.string()),
    view: v.optional(viewSettings),
    shared: v.optional(v.boolean()),
  },
  returns: v.object(saved),
  handler: async (ctx, { viewId, ...parts }) => await changeView(ctx, viewerOf(ctx), viewId, parts, ctx.by),
});

/** Deletes a view. Returns it, for an undo. Refuses: not_found, forbidden. */
export const remove = memberMutation("devices.read")({
  args: { viewId: v.id("deviceViews") },
  returns: v.object(saved),
  handler: async (ctx, { viewId }) => await removeView(ctx, viewerOf(ctx), viewId, ctx.by),
});

function viewerOf(ctx: MemberCtx): Viewer {
  return { member: ctx.member, seesAll: ctx.scope === "all", mayShare: may(ctx, "devices.change") };
}

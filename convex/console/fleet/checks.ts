import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { may, memberMutation, memberQuery, ownDevice } from "../../model/memberCalls.ts";
import { boundedPage } from "../../model/refuse.ts";
import { canaryPromptsOf, setCanaryPrompts } from "../../model/trust/canaries/pool.ts";
import { canaryCount, canaryCounts, canaryRow, canaryRowOf } from "../../model/trust/canaries/views.ts";
import { sidesInService } from "../../model/trust/checkers.ts";
import { modeOf, setMode as setModeOf } from "../../model/trust/mode.ts";
import { releaseByHand } from "../../model/trust/pay.ts";
import { checkMode } from "../../model/trust/validators.ts";
import {
  caseRow,
  caseRowOf,
  checkRow,
  checkRowOf,
  standingsOf,
  standingView,
} from "../../model/trust/views.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const mostRows = 50;

/** How the organization uses checks of answers. */
export const mode = memberQuery("checks.read")({
  args: {},
  returns: checkMode,
  handler: async (ctx) => await modeOf(ctx, ctx.organizationId),
});

/**
 * How many sides the devices in service have: app/trust/sides.ts. With fewer than three, checks decide less. Null: there are too many
 * devices to tell.
 */
export const sides = memberQuery("checks.read")({
  args: {},
  returns: v.union(v.number(), v.null()),
  handler: async (ctx) => await sidesInService(ctx, ctx.organizationId),
});

/** Changes how the organization uses checks. Without "act" all held pay is released. */
export const setMode = memberMutation("checks.change")({
  args: { mode: checkMode },
  returns: v.null(),
  handler: async (ctx, { mode: wanted }) => {
    await setModeOf(ctx, ctx.organizationId, wanted, ctx.by);
    return null;
  },
});

/**
 * Releases the pay of a device that waits for checks, but none about which a case is open. For a device that nobody can check. Nobody
 * releases the pay of their own device if another member may. `reason` is in the audit trail. Refuses: not_found, forbidden, invalid,
 * conflict (no pay waits).
 */
export const releasePay = memberMutation("checks.change")({
  args: { deviceId: v.id("devices"), reason: v.string() },
  returns: v.null(),
  handler: async (ctx, { deviceId, reason }) => {
    await releaseByHand(ctx, await ownDevice(ctx, deviceId), { releaser: ctx.member, reason }, ctx.by);
    return null;
  },
});

/** Cases about doubted answers with their evidence, newest first, at most 50 a page. */
export const cases = memberQuery("checks.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(caseRow),
  handler: async (ctx, { paginationOpts }) => {
    const found = await ctx.db
      .query("trustCases")
      .withIndex("by_organization", (q) => q.eq("organizationId", ctx.organizationId))
      .order("desc")
      .paginate(boundedPage(paginationOpts, mostRows));
    const page = await Promise.all(found.page.map(async (row) => await caseRowOf(ctx, row)));
    return { ...found, page: page.map((row) => (may(ctx, "money.read") ? row : { ...row, takenMicro: 0n })) };
  },
});

/** Checks of answers, newest first, at most 50 a page. */
export const recent = memberQuery("checks.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(checkRow),
  handler: async (ctx, { paginationOpts }) => {
    const found = await ctx.db
      .query("replays")
      .withIndex("by_organization", (q) => q.eq("organizationId", ctx.organizationId))
      .order("desc")
      .paginate(boundedPage(paginationOpts, mostRows));
    return { ...found, page: await Promise.all(found.page.map(async (row) => await checkRowOf(ctx, row))) };
  },
});

/** Canaries, newest first, at most 50 a page. */
export const canaries = memberQuery("checks.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(canaryRow),
  handler: async (ctx, { paginationOpts }) => {
    const found = await ctx.db
      .query("canaries")
      .withIndex("by_organization", (q) => q.eq("organizationId", ctx.organizationId))
      .order("desc")
      .paginate(boundedPage(paginationOpts, mostRows));
    const rows = await Promise.all(found.page.map(async (row) => await canaryRowOf(ctx, row)));
    return { ...found, page: rows.flat() };
  },
});

/** How many of the newest 200 canaries have each result. `prompts`: the organization's own, only for members who may change them. */
export const canaryPool = memberQuery("checks.read")({
  args: {},
  returns: v.object({ counts: v.array(canaryCount), prompts: v.union(v.array(v.string()), v.null()) }),
  handler: async (ctx) => ({
    counts: await canaryCounts(ctx, ctx.organizationId),
    prompts: may(ctx, "checks.change") ? [...(await canaryPromptsOf(ctx, ctx.organizationId))] : null,
  }),
});

/** Replaces the organization's own prompts of canaries. Refuses: invalid. */
export const setCanaries = memberMutation("checks.change")({
  args: { prompts: v.array(v.string()) },
  returns: v.null(),
  handler: async (ctx, { prompts }) => {
    await setCanaryPrompts(ctx, ctx.organizationId, prompts, ctx.by);
    return null;
  },
});

/** How a device stands with its models, as of a moment of the caller's. Refuses: not_found. */
export const standings = memberQuery("devices.read")({
  args: { deviceId: v.id("devices"), now: v.number() },
  returns: standingView,
  handler: async (ctx, { deviceId, now }) => {
    const found = await standingsOf(ctx, await ownDevice(ctx, deviceId), ctx, now);
    return may(ctx, "money.read") ? found : { ...found, heldMicro: 0n };
  },
});

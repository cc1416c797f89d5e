import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { auditFilter, auditPage, auditRow } from "../model/auditPages.ts";
import { checkedSeals, checkSeals, lastSeal, sealPage, sealView, viewSeal } from "../model/auditSeals.ts";
import { memberQuery } from "../model/memberCalls.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The audit trail, newest first. With filters a page may have fewer rows than asked for, and still not be the last. */
export const list = memberQuery("audit.read")({
  args: { paginationOpts: paginationOptsValidator, ...auditFilter },
  returns: paginationResultValidator(auditRow),
  handler: async (ctx, { paginationOpts, ...filter }) =>
    await auditPage(ctx, ctx.organizationId, filter, paginationOpts),
});

/** The newest seal of the trail; null before the first. */
export const newestSeal = memberQuery("audit.read")({
  args: {},
  returns: v.union(sealView, v.null()),
  handler: async (ctx) => {
    const seal = await lastSeal(ctx, ctx.organizationId);
    return seal === null ? null : viewSeal(seal);
  },
});

/** The seals that end in a time, oldest first, at most 200. Ask again after the last one's `to`. */
export const seals = memberQuery("audit.read")({
  args: { after: v.number(), to: v.number() },
  returns: v.array(sealView),
  handler: async (ctx, { after, to }) => await sealPage(ctx, ctx.organizationId, after, to),
});

/** Checks the next seals after a number against their rows. Ask again with `next` until that is null. */
export const check = memberQuery("audit.read")({
  args: { after: v.number() },
  returns: checkedSeals,
  handler: async (ctx, { after }) => await checkSeals(ctx, ctx.organizationId, after),
});

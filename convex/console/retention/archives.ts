import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import { archivePage, archiveRow } from "../../model/archives/list.ts";
import { retentionOf, retentionRow, setRetention as setDays } from "../../model/archives/retention.ts";
import { memberAction, memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { refuse } from "../../model/refuse.ts";
import { archiveKind } from "../../model/validators/files.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The organization's archives, newest first. */
export const list = memberQuery("archives.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(archiveRow),
  handler: async (ctx, { paginationOpts }) => await archivePage(ctx, ctx.organizationId, paginationOpts),
});

/** How long rows of each kind are kept. `now`: ms epoch, for the moment before which rows are in archives. */
export const retention = memberQuery("archives.read")({
  args: { now: v.number() },
  returns: v.array(retentionRow),
  handler: async (ctx, { now }) => {
    if (!Number.isFinite(now) || Math.abs(now) > 8.64e15) return refuse("invalid", "This is no time.");
    return await retentionOf(ctx, ctx.organizationId, now);
  },
});

/** Changes how long rows of a kind are kept; null: the default. Refuses: invalid. */
export const setRetention = memberMutation("archives.change")({
  args: { kind: archiveKind, days: v.union(v.number(), v.null()), reason: v.string() },
  returns: v.null(),
  handler: async (ctx, wanted) => {
    await setDays(ctx, ctx.organizationId, wanted, ctx.by);
    return null;
  },
});

/** Moves old rows into archives now, not only every six hours. */
export const run = memberMutation("archives.change")({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const { organizationId } = ctx;
    await ctx.audit("archive.asked", organizationId);
    await ctx.scheduler.runAfter(0, internal.archives.steps.run, { organizationId });
    return null;
  },
});

/** The text of an archive. Refuses: not_found. */
export const download = memberAction("archives.read")({
  args: { archiveId: v.id("archives") },
  returns: v.string(),
  handler: async (ctx, { session, archiveId }): Promise<string> => {
    const storageId: Id<"_storage"> = await ctx.runMutation(internal.archives.steps.noteDownload, {
      session,
      archiveId,
    });
    const blob = await ctx.storage.get(storageId);
    return blob === null ? refuse("not_found", "The file of this archive is missing.") : await blob.text();
  },
});

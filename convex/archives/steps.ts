import { v } from "convex/values";
import { internal } from "../_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "../_generated/server.js";
import { clearRows } from "../model/archives/clear.ts";
import { deleteOldRows } from "../model/archives/oldRows.ts";
import { movablePage, rowPage } from "../model/archives/rows.ts";
import { archiveOld } from "../model/archives/run.ts";
import {
  archiveStep,
  finishArchive,
  giveUpArchive,
  nextStep,
  noteArchive,
  storedArchive,
} from "../model/archives/store.ts";
import { internalMemberMutation } from "../model/memberCalls.ts";
import { allOrganizations } from "../model/organizations/create.ts";
import { owned } from "../model/refuse.ts";
import { archiveKind } from "../model/validators/files.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * Old rows move into archives: an action writes a file, notes it, reads it back, and deletes the rows piece by piece. A run that is
 * cut off anywhere is repeated.
 */

const ofArchive = { archiveId: v.id("archives") };

/** Moves the old rows of each organization, and deletes those that nobody reads any more. */
export const runAll = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const { _id: organizationId } of await allOrganizations(ctx)) {
      await ctx.scheduler.runAfter(0, internal.archives.steps.run, { organizationId });
    }
    await ctx.scheduler.runAfter(0, internal.archives.steps.deleteOld, {});
    return null;
  },
});

/** Moves the next old rows of one organization. */
export const run = internalAction({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    if (await archiveOld(ctx, organizationId))
      await ctx.scheduler.runAfter(0, internal.archives.steps.run, { organizationId });
    return null;
  },
});

export const next = internalQuery({
  args: { organizationId: v.id("organizations"), kind: archiveKind },
  returns: archiveStep,
  handler: async (ctx, { organizationId, kind }) => await nextStep(ctx, organizationId, kind, Date.now()),
});

export const page = internalQuery({
  args: {
    organizationId: v.id("organizations"),
    kind: archiveKind,
    after: v.number(),
    before: v.number(),
  },
  returns: rowPage,
  handler: async (ctx, { kind, ...range }) => await movablePage(ctx, kind, range),
});

export const note = internalMutation({
  args: storedArchive,
  returns: v.boolean(),
  handler: async (ctx, archive) => await noteArchive(ctx, archive, Date.now()),
});

export const clear = internalMutation({
  args: { ...ofArchive, lines: v.array(v.string()) },
  returns: v.boolean(),
  handler: async (ctx, { archiveId, lines }) => await clearRows(ctx, archiveId, lines),
});

export const finish = internalMutation({
  args: ofArchive,
  returns: v.null(),
  handler: async (ctx, { archiveId }) => {
    await finishArchive(ctx, archiveId, Date.now());
    return null;
  },
});

export const giveUp = internalMutation({
  args: { ...ofArchive, problem: v.string() },
  returns: v.null(),
  handler: async (ctx, { archiveId, problem }) => {
    await giveUpArchive(ctx, archiveId, problem, Date.now());
    return null;
  },
});

/** Deletes rows that nobody reads any more, and that are in no archive. */
export const deleteOld = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (await deleteOldRows(ctx, Date.now()))
      await ctx.scheduler.runAfter(0, internal.archives.steps.deleteOld, {});
    return null;
  },
});

/** The file of an archive that a member downloads, which the audit trail notes. Refuses: not_found. */
export const noteDownload = internalMemberMutation("archives.read")({
  args: ofArchive,
  returns: v.id("_storage"),
  handler: async (ctx, { archiveId }) => {
    const archive = owned(await ctx.db.get("archives", archiveId), ctx.organizationId, "archive");
    await ctx.audit("archive.downloaded", archiveId);
    return archive.storageId;
  },
});

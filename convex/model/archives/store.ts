import { type Infer, v } from "convex/values";
import { noArchive } from "../../../app/archives/file.ts";
import { type ArchiveKind, keptDays } from "../../../app/archives/kinds.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { archiveFacts } from "../validators/files.ts";
import { movableBefore, newestArchive } from "./retention.ts";

/** How the archives of a kind go on. */
export const archiveStep = v.union(
  /** The rows of this archive must be deleted before the next one begins. */
  v.object({
    kind: v.literal("clear"),
    archiveId: v.id("archives"),
    storageId: v.id("_storage"),
    sha256: v.string(),
    cleared: v.number(),
  }),
  /** The next archive takes rows before `before`. `after`: as of `movablePage`. */
  v.object({
    kind: v.literal("write"),
    number: v.number(),
    previous: v.string(),
    after: v.number(),
    before: v.number(),
  }),
  /** An archive has a problem, which somebody must look at. */
  v.object({ kind: v.literal("stopped") }),
);

export async function nextStep(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  kind: ArchiveKind,
  now: number,
): Promise<Infer<typeof archiveStep>> {
  const newest = await newestArchive(ctx, organizationId, kind);
  if (newest !== null && newest.doneAt === undefined) {
    const { _id: archiveId, storageId, sha256, cleared } = newest;
    if (newest.problem !== undefined) return { kind: "stopped" };
    return { kind: "clear", archiveId, storageId, sha256, cleared };
  }
  return {
    kind: "write",
    number: (newest?.number ?? 0) + 1,
    previous: newest?.sha256 ?? noArchive,
    after: newest?.seal?.number ?? 0,
    before: await movableBefore(ctx, organizationId, kind, now),
  };
}

/** A file that is stored. */
export const storedArchive = {
  organizationId: v.id("organizations"),
  ...archiveFacts,
  previous: v.string(),
  storageId: v.id("_storage"),
};

type StoredArchive = Omit<
  Doc<"archives">,
  "_id" | "_creationTime" | "at" | "cleared" | "doneAt" | "problem" | "seal"
> & { readonly previous: string };

/**
 * Notes an archive whose file is stored, and its hash in the audit trail. From now on its rows may be deleted.
 * @returns false if another run has written this archive meanwhile. The caller then deletes its file.
 */
export async function noteArchive(
  ctx: MutationCtx,
  { previous, ...archive }: StoredArchive,
  now: number,
): Promise<boolean> {
  const { organizationId, kind, number, month, rows, sha256 } = archive;
  const newest = await newestArchive(ctx, organizationId, kind);
  const isNext = number === (newest?.number ?? 0) + 1 && previous === (newest?.sha256 ?? noArchive);
  if (!isNext || (newest !== null && newest.doneAt === undefined)) return false;
  const seal = newest?.seal === undefined ? {} : { seal: newest.seal };
  const archiveId = await ctx.db.insert("archives", { ...archive, ...seal, at: now, cleared: 0 });
  const what = `${keptDays[kind].name}, ${new Date(month).toISOString().slice(0, 7)}`;
  const detail = `${what}, number ${String(number)}: ${String(rows)} rows, SHA-256 ${sha256}`;
  const by = { organizationId, actor: "system" as const, at: now };
  await record(ctx, { ...by, action: "archive.written", subject: archiveId, detail });
  return true;
}

/** Notes that all rows of an archive are deleted. */
export async function finishArchive(ctx: MutationCtx, archiveId: Id<"archives">, now: number): Promise<void> {
  const archive = await ctx.db.get("archives", archiveId);
  if (archive === null || archive.doneAt !== undefined) return;
  await ctx.db.patch("archives", archiveId, { doneAt: now });
}

/**
 * Gives up on an archive whose file is missing or damaged. If no row was deleted, it is forgotten and written anew. Otherwise it
 * stays, and nothing of its kind moves until somebody has looked at it.
 */
export async function giveUpArchive(
  ctx: MutationCtx,
  archiveId: Id<"archives">,
  problem: string,
  now: number,
): Promise<void> {
  const archive = await ctx.db.get("archives", archiveId);
  if (archive === null || archive.doneAt !== undefined) return;
  const { organizationId, storageId, cleared } = archive;
  const by = { organizationId, actor: "system" as const, at: now };
  await record(ctx, { ...by, action: "archive.failed", subject: archiveId, detail: problem });
  if (cleared > 0) {
    await ctx.db.patch("archives", archiveId, { problem });
    return;
  }
  await ctx.db.delete("archives", archiveId);
  if ((await ctx.db.system.get("_storage", storageId)) !== null) await ctx.storage.delete(storageId);
}

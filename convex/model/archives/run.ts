import {
  archiveBody,
  archiveEndLine,
  archiveLines,
  archiveStatement,
  groupsOf,
} from "../../../app/archives/file.ts";
import { type ArchiveKind, archiveKinds } from "../../../app/archives/kinds.ts";
import { monthOf } from "../../../app/usage/months.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import { hashSecret as sha256 } from "../authenticate.ts";
import { organizationKey } from "../models/organizationKey.ts";
import type { RowPage } from "./rows.ts";

/** A larger month has several archives. The console gets a file in one answer. */
const mostChars = 4 * 1024 * 1024;
/** `steps`: of one run, which writes or clears an archive in each; the next run goes on. `rows`: that one transaction deletes, and its last group. */
const standardPace = { steps: 40, rows: 200 };
type Pace = typeof standardPace;

/**
 * Moves an organization's old rows into archives, until nothing is left or the run has done enough.
 * @returns whether there may be more.
 */
export async function archiveOld(
  ctx: ActionCtx,
  organizationId: Id<"organizations">,
  pace: Pace = standardPace,
): Promise<boolean> {
  let steps = 0;
  for (const kind of archiveKinds) {
    while (await takeStep(ctx, organizationId, kind, pace)) {
      steps += 1;
      if (steps === pace.steps) return true;
    }
  }
  return false;
}

/** Writes the next archive of a kind, or deletes the rows of the last one. @returns false if there is nothing to do. */
async function takeStep(
  ctx: ActionCtx,
  organizationId: Id<"organizations">,
  kind: ArchiveKind,
  { rows }: Pace,
): Promise<boolean> {
  const step = await ctx.runQuery(internal.archives.steps.next, { organizationId, kind });
  switch (step.kind) {
    case "stopped":
      return false;
    case "clear":
      await clear(ctx, step, rows);
      return true;
    default:
      return await write(ctx, { ...step, organizationId, archiveKind: kind });
  }
}

type Place = {
  readonly organizationId: Id<"organizations">;
  readonly archiveKind: ArchiveKind;
  readonly number: number;
  readonly previous: string;
  readonly after: number;
  readonly before: number;
};

/**
 * Stores the next archive, and notes it. A run that is cut off before the note leaves a file that nobody names: files.sweep deletes
 * it.
 */
async function write(ctx: ActionCtx, place: Place): Promise<boolean> {
  const { organizationId, archiveKind: kind, number, previous } = place;
  const { month, lines } = await movableLines(ctx, place);
  if (month === null) return false;
  const head = {
    organizationId,
    kind,
    month: new Date(month).toISOString().slice(0, 7),
    number,
    rows: lines.length,
    previous,
  };
  const body = archiveBody(head, lines);
  const hash = await sha256(body);
  const key = await organizationKey(organizationId, "present");
  const signedBy =
    key === null ? null : { key: key.publicKey, signature: await key.sign(archiveStatement(head, hash)) };
  const text = body + archiveEndLine({ sha256: hash, signedBy });
  const blob = new Blob([text], { type: "application/jsonl" });
  const storageId = await ctx.storage.store(blob);
  const isNoted = await ctx.runMutation(internal.archives.steps.note, {
    organizationId,
    kind,
    number,
    month,
    rows: lines.length,
    bytes: blob.size,
    sha256: await sha256(text),
    previous,
    storageId,
  });
  if (!isNoted) await ctx.storage.delete(storageId);
  return isNoted;
}

/** The oldest rows that may move, of one month, as lines. */
async function movableLines(
  ctx: ActionCtx,
  { organizationId, archiveKind: kind, after: start, before }: Place,
): Promise<{ readonly month: number | null; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  let month: number | null = null;
  let chars = 0;
  let after: number | null = start;
  while (after !== null) {
    const end: number = month === null ? before : Math.min(before, monthOf(month, 1));
    const page: RowPage = await ctx.runQuery(internal.archives.steps.page, {
      organizationId,
      kind,
      after,
      before: end,
    });
    for (const group of page.groups) {
      month ??= monthOf(group.at);
      if (monthOf(group.at) !== month) return { month, lines };
      chars += group.lines.reduce((sum, line) => sum + line.length, 0);
      if (chars > mostChars && lines.length > 0) return { month, lines };
      for (const line of group.lines) lines.push(line);
    }
    after = page.next;
  }
  return { month, lines };
}

type Cleared = {
  readonly archiveId: Id<"archives">;
  readonly storageId: Id<"_storage">;
  readonly sha256: string;
};

/** Deletes the rows of an archive, once its file was read back and has its hash. A run that is cut off is repeated. */
async function clear(ctx: ActionCtx, archive: Cleared, rowsAtOnce: number): Promise<void> {
  const { archiveId } = archive;
  const problem = await clearAll(ctx, archive, rowsAtOnce);
  if (problem === null) await ctx.runMutation(internal.archives.steps.finish, { archiveId });
  else await ctx.runMutation(internal.archives.steps.giveUp, { archiveId, problem });
}

/** @returns why not all rows are deleted; null if they are. */
async function clearAll(
  ctx: ActionCtx,
  { archiveId, storageId, sha256: expected }: Cleared,
  rowsAtOnce: number,
): Promise<string | null> {
  const text = await (await ctx.storage.get(storageId))?.text();
  if (text === undefined) return "The file of the archive is missing.";
  if ((await sha256(text)) !== expected) return "The file of the archive does not have its hash.";
  for (const lines of piecesOf(groupsOf(archiveLines(text)), rowsAtOnce)) {
    if (!(await ctx.runMutation(internal.archives.steps.clear, { archiveId, lines: [...lines] })))
      return "A row has changed since it was archived.";
  }
  return null;
}

/** Whole groups, joined to pieces for one transaction each. */
function piecesOf(
  groups: readonly (readonly string[])[],
  rowsAtOnce: number,
): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  for (const group of groups) {
    const last = pieces.at(-1);
    if (last === undefined || last.length >= rowsAtOnce) pieces.push([...group]);
    else last.push(...group);
  }
  return pieces;
}

import type { Value } from "convex/values";
import { boundedInteger, byteLength, sizeOf, wellFormed } from "../bounds.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { defined } from "../load.ts";
import { refuse } from "../refuse.ts";
import { settingsOf } from "../settings.ts";
import { emptyDigest, extendDigest, isContinuedBy } from "./digest.ts";

/** The most chunks of one attempt: more than two hours at four a second. */
const maxSeq = 32_768;

/** `data`: small values that belong to the text, in their order. */
export type Chunk = { readonly seq: number; readonly text: string; readonly data?: Value[] };

/**
 * Adds text to the stream of a watched job; otherwise writes nothing. A `seq` that is not the next one changes nothing: the worker
 * can repeat a call without an answer, and a chunk that was refused leaves no hole. Refuses: invalid, too_large (by the settings).
 * @param isFirst whether the text begins with the chunk. `stored`: what is kept in place of the text and its data.
 */
export async function appendChunk(
  ctx: MutationCtx,
  held: { readonly attempt: Doc<"attempts">; readonly job: Doc<"jobs"> },
  { seq, text, data, stored }: Chunk & { readonly stored?: Value },
  isFirst: boolean,
): Promise<void> {
  boundedInteger(seq, "seq", 0, maxSeq);
  wellFormed(text, "The chunk");
  if (!held.job.watched) return;
  const bytes = bytesOf({ text, ...defined({ data }) });
  const attemptId = held.attempt._id;
  const [{ maxChunkBytes, maxTextBytes }, last] = await Promise.all([
    settingsOf(ctx, held.job.scope),
    lastChunk(ctx, attemptId),
  ]);
  if (bytes > maxChunkBytes) refuse("too_large", `A chunk has at most ${String(maxChunkBytes)} bytes.`);
  // A reader that has the last chunk would never see one before it, nor miss one.
  if (last === null ? !isFirst : seq !== last.seq + 1) return;
  const endBytes = (last?.endBytes ?? 0) + bytes;
  if (endBytes > maxTextBytes) {
    refuse("too_large", `An attempt's text and data have at most ${String(maxTextBytes)} bytes.`);
  }
  const before = last === null ? emptyDigest(Math.random()) : last.digest;
  const digest = before === undefined ? {} : { digest: extendDigest(before, text) };
  const kept = stored === undefined ? { text, ...defined({ data }) } : { text: "", data: [stored] };
  const row = { jobId: held.job._id, attemptId, seq, ...kept, endBytes };
  await ctx.db.insert("chunks", { ...row, ...digest });
}

/** The size of a chunk in UTF-8 bytes: its text, and the JSON of its data. */
function bytesOf({ text, data }: Pick<Chunk, "text" | "data">): number {
  return byteLength(text) + (data === undefined ? 0 : sizeOf(data));
}

/** Whether a text begins with all that was streamed of an attempt. True if nothing is known of it. One read. */
export async function continuesStream(
  ctx: QueryCtx,
  attemptId: Id<"attempts">,
  text: string,
): Promise<boolean> {
  const last = await lastChunk(ctx, attemptId);
  return last?.digest === undefined || isContinuedBy(last.digest, text);
}

/**
 * How many UTF-16 units of a text an attempt had streamed, without blanks at its end: 0 if the text does not begin with what
 * was streamed, or nothing is kept of it. One read.
 */
export async function streamedChars(ctx: QueryCtx, attemptId: Id<"attempts">, text: string): Promise<number> {
  const digest = (await lastChunk(ctx, attemptId))?.digest;
  return digest !== undefined && isContinuedBy(digest, text) ? digest.chars : 0;
}

/** The most points of a curve. */
const mostPoints = 40;

/** A moment, and the UTF-8 bytes of the attempt's text and data that were stored by then. */
type StreamPoint = { readonly at: number; readonly bytes: number };

/** How the streamed text of an attempt grew: at most 41 points, with the last one. One read each. */
async function streamCurve(ctx: QueryCtx, attemptId: Id<"attempts">): Promise<StreamPoint[]> {
  const last = await lastChunk(ctx, attemptId);
  if (last === null) return [];
  const wanted = Array.from({ length: mostPoints }, (_, at) => Math.floor((at * last.seq) / mostPoints));
  const found = await Promise.all(
    [...new Set(wanted)].map(
      async (seq) =>
        await ctx.db
          .query("chunks")
          .withIndex("by_attempt", (q) => q.eq("attemptId", attemptId).gte("seq", seq))
          .first(),
    ),
  );
  const chunks = new Map([...found, last].flatMap((chunk) => (chunk === null ? [] : [[chunk.seq, chunk]])));
  return [...chunks.values()].map(({ _creationTime: at, endBytes: bytes }) => ({ at, bytes }));
}

/** The curve of the newest attempt of a job; null without text. */
export async function newestCurve(
  ctx: QueryCtx,
  jobId: Id<"jobs">,
): Promise<{ attempt: number; points: StreamPoint[] } | null> {
  const newest = await ctx.db
    .query("attempts")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .order("desc")
    .first();
  const points = newest === null ? [] : await streamCurve(ctx, newest._id);
  return newest === null || points.length === 0 ? null : { attempt: newest.number, points };
}

/** When text of the attempt was last stored, ms epoch; 0 if never. */
export async function lastTextAt(ctx: QueryCtx, attemptId: Id<"attempts">): Promise<number> {
  return (await lastChunk(ctx, attemptId))?._creationTime ?? 0;
}

async function lastChunk(ctx: QueryCtx, attemptId: Id<"attempts">): Promise<Doc<"chunks"> | null> {
  return await ctx.db
    .query("chunks")
    .withIndex("by_attempt", (q) => q.eq("attemptId", attemptId))
    .order("desc")
    .first();
}

/** One answer has about as much text and data. A reader far behind asks again. */
const maxBytes = 256 * 1024;

const maxChunks = 1_000;

/** The text of an attempt, with its data, after a chunk or from the start (-1). */
export async function chunksAfter(ctx: QueryCtx, attemptId: Id<"attempts">, seq: number): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  let bytes = 0;
  const rows = ctx.db
    .query("chunks")
    .withIndex("by_attempt", (q) => q.eq("attemptId", attemptId).gt("seq", seq));
  for await (const row of rows) {
    const { text, data } = row;
    chunks.push({ seq: row.seq, text, ...defined({ data }) });
    bytes += bytesOf(row);
    if (bytes >= maxBytes || chunks.length >= maxChunks) break;
  }
  return chunks;
}

const perPiece = 500;

const bytesPerPiece = 2 * 1024 * 1024;

/** Deletes some of a job's streamed text, of all attempts. @returns whether more may be left. */
export async function deletePiece(ctx: MutationCtx, jobId: Id<"jobs">): Promise<boolean> {
  const ids: Id<"chunks">[] = [];
  let bytes = 0;
  const rows = ctx.db.query("chunks").withIndex("by_job", (q) => q.eq("jobId", jobId));
  for await (const row of rows) {
    ids.push(row._id);
    bytes += bytesOf(row);
    if (ids.length >= perPiece || bytes >= bytesPerPiece) break;
  }
  for (const id of ids) await ctx.db.delete("chunks", id);
  return ids.length >= perPiece || bytes >= bytesPerPiece;
}

import { type BatchEndpoint, batchLimits } from "../../../app/batches/limits.ts";
import { FileCheck, type Line, parseLine } from "../../../app/batches/parse-line.ts";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { CutRequest } from "../../model/batches/cut.ts";
import type { OpenPart } from "../../model/files/seals.ts";
import type { Caller } from "../endpoint.ts";
import { namedModel } from "../namedModel.ts";
import { outcomeOf } from "../outcome.ts";
import { useOf } from "../requestedJob.ts";
import { askedBy, linesOf } from "./readLines.ts";

/** A Convex action ends after ten minutes. Another one goes on. */
const stepMs = 4 * 60_000;

/**
 * Checks the file of a batch, or submits its requests in pieces until all are submitted or have to wait. Each piece is a
 * transaction that also notes how far the file is cut. So after a crash at any point the next step goes on from there.
 */
export async function cutFile(ctx: ActionCtx, batchId: Id<"batches">): Promise<void> {
  const until = Date.now() + stepMs;
  const first = await ctx.runQuery(internal.batches.nextCut, { batchId });
  if (first?.step === "check") {
    const check = await checkFile(ctx, first);
    const { mistakes: found, ...checked } = check;
    const { mistake, ...outlook } = await ctx.runQuery(internal.batches.checkedOutlook, {
      batchId,
      ...checked,
    });
    const mistakes = found.length === 0 && mistake !== null ? [mistake] : found;
    await ctx.runMutation(internal.batches.start, { batchId, ...checked, mistakes, ...outlook });
  }
  const next = first?.step === "check" ? await ctx.runQuery(internal.batches.nextCut, { batchId }) : first;
  if (next?.step !== "cut") return;
  const size: PieceSize = { most: firstLines, hasFailed: false };
  for await (const piece of piecesOf(ctx, next)) {
    if (!(await addInParts(ctx, { batchId, caller: next.caller }, piece, size))) return;
    if (Date.now() < until || piece.isLast) continue;
    await ctx.scheduler.runAfter(0, internal.batchSteps.cut, { batchId });
    return;
  }
}

/** Requests of a step's first transaction. Each next one has twice as many, as long as they are this fast. */
const firstLines = 50;
const fastMs = 250;

/** How many requests a transaction may have. It grows until one was too slow. */
type PieceSize = { most: number; hasFailed: boolean };

/**
 * Submits a piece in transactions that the machine has time for: Convex ends a mutation after a second. One that fails is tried
 * again with half as many requests. `size` keeps what was found for the next pieces.
 * @returns false if the rest has to wait, or if another step was faster. Throws the error of a single request.
 */
async function addInParts(
  ctx: ActionCtx,
  { batchId, caller }: { readonly batchId: Id<"batches">; readonly caller: Caller },
  piece: Piece,
  size: PieceSize,
): Promise<boolean> {
  let { from } = piece;
  let left = piece.requests;
  for (;;) {
    const requests = left.slice(0, size.most);
    const rest = left.slice(requests.length);
    const isLast = piece.isLast && rest.length === 0;
    const used = await useOf(ctx, caller);
    const startedAt = Date.now();
    const added = await outcomeOf(
      ctx.runMutation(internal.batches.addPiece, { batchId, from, requests, isLast, ...used }),
    );
    if (added.kind === "ok") {
      if (added.value !== "added") return false;
      if (!size.hasFailed && Date.now() - startedAt < fastMs) {
        size.most = Math.min(2 * size.most, batchLimits.pieceJobs);
      }
      if (rest.length === 0) return true;
      from = requests.at(-1)?.end ?? from;
      left = rest;
    } else if (added.kind === "failed" && requests.length > 1) {
      size.most = Math.ceil(requests.length / 2);
      size.hasFailed = true;
    } else throw added.kind === "failed" ? added.thrown : new Error(added.refusal.message);
  }
}

type CutFile = {
  readonly endpoint: BatchEndpoint;
  readonly parts: readonly OpenPart[];
  readonly from: { readonly bytes: number; readonly lines: number };
  readonly caller: Caller;
};

/** Reads the whole file once. It is never in memory as a whole. */
async function checkFile(ctx: ActionCtx, file: CutFile) {
  const check = new FileCheck();
  for await (const line of linesOf(ctx, file.parts, file.from)) {
    if (!check.add(line, parseLine(line, file.endpoint))) break;
  }
  const named = namedModel(file.caller, (name) => name === (check.model ?? defaultAlias));
  const mistakes = check.mistakes.map((mistake) => ({ ...mistake }));
  const { total, jobs, isHigh } = check;
  return { total, jobs, isHigh, mistakes, model: named?.model.modelId ?? null };
}

type Piece = { readonly from: number; readonly requests: CutRequest[]; readonly isLast: boolean };

/** The rest of the file in pieces, each small enough for one transaction. The last one may be empty. */
async function* piecesOf(ctx: ActionCtx, file: CutFile): AsyncGenerator<Piece> {
  let from = file.from.bytes;
  let requests: CutRequest[] = [];
  let bytes = 0;
  let jobs = 0;
  for await (const line of linesOf(ctx, file.parts, file.from)) {
    const size = line.text?.length ?? 0;
    const request = await requestOf(line, file);
    const count = request.asked.kind === "work" ? request.asked.works.length : 1;
    if (jobs + count > batchLimits.pieceJobs || bytes + size > batchLimits.pieceBytes) {
      const end = requests.at(-1)?.end ?? from;
      if (requests.length > 0) yield { from, requests, isLast: false };
      from = end;
      requests = [];
      bytes = 0;
      jobs = 0;
    }
    requests.push(request);
    bytes += size;
    jobs += count;
  }
  yield { from, requests, isLast: true };
}

async function requestOf(line: Line, { endpoint, caller }: CutFile): Promise<CutRequest> {
  const parsed = parseLine(line, endpoint);
  // The check has refused such files.
  if (parsed.kind === "refused") throw new Error("a line of a checked file is wrong");
  const { customId, body } = parsed.request;
  return { line: line.number, customId, end: line.end, asked: await askedBy(body, endpoint, caller) };
}

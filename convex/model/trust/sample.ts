import type { JobHistory } from "@gleaner/queue/validators";
import type { Infer } from "convex/values";
import type { Usage } from "../../../app/jobs/chat.ts";
import { mostVectors } from "../../../app/trust/replay.ts";
import { costShareOf, replayChance, replayShare } from "../../../app/trust/replay-chance.ts";
import { faded, isOnProbation, ratedWithinMs, withEvent, withRatings } from "../../../app/trust/standing.ts";
import { tokensOfVector } from "../../../app/trust/vector-fit.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { modelsOfDevice } from "../devices/report.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { ratingsOf } from "../ratings/ofDevice.ts";
import { checkersOf } from "./checkers.ts";
import { modeOf } from "./mode.ts";
import { mayBeReplayed, queueReplay } from "./replays.ts";
import { plus, type Spending, spendingOf, spentShareOf, storeSpending, worthOf } from "./spending.ts";
import { type Pair, standingIn, standingRow, storeStanding } from "./standings.ts";
import { noteUnanswered } from "./unanswered.ts";
import type { endedJob } from "./validators.ts";

/** The most jobs of one step. It changes standings, as the ends of replays do, so few long steps conflict less with these than many short ones. */
export const mostSampled = 25;
/** For so many of them a step looks for a checker: each may read some hundred devices. */
const mostDrawn = 10;

/** A step that queues so many replays ends. Workers come and go meanwhile, so a longer one would conflict with them again and again. */
const mostQueued = 2;

/** More replays of one device and model do not wait at once: nobody has time for them, and the next answers are as good. */
const mostWaiting = 4;
/** Shares beyond this change nothing, since the next job is replayed then. */
const mostOwed = 1.5;
/** In tokens per second, of a device that did not measure its own. */
export const usualSpeed = { prefill: 100, generate: 34 };

export type EndedJob = Infer<typeof endedJob>;

/**
 * Takes the next ended jobs of the organization, and chooses among them.
 * @param most jobs to take.
 * @returns those jobs; null: there are no more.
 */
export async function chooseNext(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  most: number,
  now: number,
): Promise<readonly EndedJob[] | null> {
  const batch = await nextBatch(ctx, organizationId);
  if (batch === null) return null;
  const jobs = batch.jobs.slice(0, most);
  const done = jobs.slice(0, await chooseReplays(ctx, organizationId, jobs, now));
  await dropFirst(ctx, batch, done.length);
  return done;
}

/** Takes the next ended job out of the organization's batches, and chooses nothing. @returns it, if there is one. */
export async function dropNext(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
): Promise<readonly EndedJob[]> {
  const batch = await nextBatch(ctx, organizationId);
  if (batch === null) return [];
  await dropFirst(ctx, batch, 1);
  return batch.jobs.slice(0, 1);
}

async function nextBatch(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"checkBatches"> | null> {
  return await ctx.db
    .query("checkBatches")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .first();
}

async function dropFirst(ctx: MutationCtx, batch: Doc<"checkBatches">, count: number): Promise<void> {
  const left = batch.jobs.slice(count);
  if (left.length === 0) await ctx.db.delete("checkBatches", batch._id);
  else await ctx.db.patch("checkBatches", batch._id, { jobs: left });
}

/**
 * Decides for jobs that ended whether their answers are replayed, and queues the replays. Attempts without an answer change the standings
 * of their devices. It runs up to a minute after the jobs, in the background, so that no answer waits for it. Convex's random numbers are
 * the same if it has to run this again.
 * @returns how many of the jobs are done. The others are left for the next step.
 */
async function chooseReplays(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  jobs: readonly EndedJob[],
  now: number,
): Promise<number> {
  if ((await modeOf(ctx, organizationId)) === "off") return jobs.length;
  let spending = await spendingOf(ctx, organizationId, now);
  const ids = jobs.map(({ jobId }) => jobId);
  const histories = new Map(
    (await queue.histories(ctx, organizationId, [...new Set(ids)])).map((history) => [
      history.jobId,
      history,
    ]),
  );
  let done = 0;
  let drawn = 0;
  let queued = 0;
  for (const { jobId, round } of jobs) {
    if (queued === mostQueued || drawn === mostDrawn) break;
    done += 1;
    const history = histories.get(jobId);
    const order = await orderOf(ctx, jobId);
    if (history === undefined || order === null || order.ownJob === true) continue;
    // Somebody may have retried a job without an answer already.
    if (round !== null && round !== history.round) continue;
    await noteUnanswered(ctx, order, history, now);
    const deviceId = round === null ? authorOf(ctx, history) : null;
    const { usage } = order;
    // Canaries are compared by themselves: canaries/compare.ts.
    if (order.canary !== undefined) continue;
    if (deviceId === null || usage === undefined || !mayBeReplayed(order)) continue;
    const chosen = await choose(ctx, order, { deviceId, usage }, spending, now);
    ({ spending } = chosen);
    if (chosen.isDrawn) drawn += 1;
    if (chosen.isReplayed) queued += 1;
  }
  await storeSpending(ctx, organizationId, spending, now);
  return done;
}

/** The device that gave the answer; null if it is gone. */
export function authorOf(ctx: MutationCtx, { attempts }: JobHistory): Id<"devices"> | null {
  const answered = attempts.findLast(({ status }) => status === "succeeded");
  return ctx.db.normalizeId("devices", answered?.worker ?? "");
}

type Chosen = {
  /** With the answer. */
  readonly spending: Spending;
  /** Whether it was to be replayed, and a checker was looked for. */
  readonly isDrawn: boolean;
  readonly isReplayed: boolean;
};

/** Chooses for one answer. */
async function choose(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { deviceId, usage }: { readonly deviceId: Id<"devices">; readonly usage: Usage },
  before: Spending,
  now: number,
): Promise<Chosen> {
  const { organizationId, modelId } = order;
  const pair: Pair = { organizationId, deviceId, modelId };
  const row = await standingRow(ctx, pair);
  const standing = faded(standingIn(row, now), now);
  const owed = row?.owed ?? 0;
  const speed =
    (await modelsOfDevice(ctx, deviceId)).find((model) => model.modelId === modelId)?.speed ?? usualSpeed;
  const tokens = { prompt: usage.promptTokens, answer: usage.completionTokens };
  const { vectors } = order;
  const checkedShare = vectors === undefined ? 1 : Math.min(1, mostVectors / vectors);
  const costShare = checkedShare * costShareOf(tokens, speed);
  const answerMs = 1_000 * (tokens.prompt / speed.prefill + tokens.answer / speed.generate);
  const price = Number(order.priceMicro ?? 0n);
  const ratings = await ratingsOf(ctx, deviceId, modelId, now - ratedWithinMs);
  const share = replayShare({
    standing: withRatings(standing, ratings),
    answerTokens: vectors === undefined ? tokens.answer : tokensOfVector * vectors,
    costShare,
    worth: worthOf(before, price),
    spentShare: spentShareOf(before),
  });
  const isDrawn = Math.random() < replayChance(share, owed) && (row?.waiting ?? 0) < mostWaiting;
  const checkers = isDrawn ? await checkersOf(ctx, { order, deviceId, voices: [] }) : null;
  if (checkers !== null) {
    // The row has to exist, since it counts the replays that wait.
    await storeStanding(ctx, pair, row, standing, { owed: 0, unchecked: false });
    if (await queueReplay(ctx, order, deviceId, checkers)) {
      const isOfBudget = !isOnProbation(standing);
      const spending = plus(before, {
        micro: price,
        answerMs,
        replayMs: isOfBudget ? answerMs * costShare : 0,
      });
      return { spending, isDrawn, isReplayed: true };
    }
  }
  await storeStanding(ctx, pair, await standingRow(ctx, pair), withEvent(standing, "result", now), {
    owed: Math.min(mostOwed, owed + share),
    ...(isDrawn ? { unchecked: true } : {}),
  });
  const spending = plus(before, { micro: price, answerMs, replayMs: 0 });
  return { spending, isDrawn, isReplayed: false };
}

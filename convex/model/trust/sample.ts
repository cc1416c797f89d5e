import { type JobHistory, tooSlow } from "@gleaner/queue/validators";
import type { Usage } from "../../../app/jobs/chat.ts";
import { mostVectors } from "../../../app/trust/replay.ts";
import { costShareOf, replayChance, replayShare } from "../../../app/trust/replay-chance.ts";
import {
  faded,
  isOnProbation,
  ratedWithinMs,
  type StandingEvent,
  withEvent,
  withRatings,
} from "../../../app/trust/standing.ts";
import { tokensOfVector } from "../../../app/trust/vector-fit.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { modelsOfDevice } from "../devices/report.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { ratingsOf } from "../ratings/ofDevice.ts";
import { hasChecker } from "./checkers.ts";
import { modeOf } from "./mode.ts";
import { releasePay } from "./pay.ts";
import { mayBeReplayed, queueReplay } from "./replays.ts";
import { plus, type Spending, spendingOf, spentShareOf, storeSpending, worthOf } from "./spending.ts";
import { noteEvent, type Pair, standingIn, standingRow, storeStanding } from "./standings.ts";

/** The most jobs of one call: each may read its texts, the ratings of its device and some hundred devices. */
export const mostSampled = 10;

/** More replays of one device and model do not wait at once: nobody has time for them, and the next answers are as good. */
const mostWaiting = 4;
/** Shares beyond this change nothing, since the next job is replayed then. */
const mostOwed = 1.5;
/** In tokens per second, of a device that did not measure its own. */
const usualSpeed = { prefill: 100, generate: 34 };

/**
 * Decides for jobs that ended with an answer whether they are replayed, and queues the replays. It runs up to a minute after them, in the
 * background, so that no answer waits for it. Convex's random numbers are the same if it has to run this again.
 */
export async function chooseReplays(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  jobIds: readonly string[],
  now: number,
): Promise<void> {
  if ((await modeOf(ctx, organizationId)) === "off") return;
  let spending = await spendingOf(ctx, organizationId, now);
  for (const history of await queue.histories(ctx, organizationId, jobIds)) {
    const order = await orderOf(ctx, history.jobId);
    if (order === null || order.ownJob === true) continue;
    await noteUnanswered(ctx, order, history, now);
    const deviceId = authorOf(ctx, history);
    const { usage } = order;
    if (deviceId === null || usage === undefined || !mayBeReplayed(order)) continue;
    spending = await choose(ctx, order, { deviceId, usage }, spending, now);
  }
  await storeSpending(ctx, organizationId, spending, now);
}

/** The device that gave the answer; null if it is gone. */
function authorOf(ctx: MutationCtx, { attempts }: JobHistory): Id<"devices"> | null {
  const answered = attempts.findLast(({ status }) => status === "succeeded");
  return ctx.db.normalizeId("devices", answered?.worker ?? "");
}

/** Notes the attempts of the job that gave no answer. */
async function noteUnanswered(
  ctx: MutationCtx,
  { organizationId, modelId }: Doc<"orders">,
  { attempts }: JobHistory,
  now: number,
): Promise<void> {
  for (const { worker, status, releaseReason } of attempts) {
    const event = eventOf(status, releaseReason);
    const deviceId = event === null ? null : ctx.db.normalizeId("devices", worker ?? "");
    if (event !== null && deviceId !== null) {
      await noteEvent(ctx, { organizationId, deviceId, modelId }, event, now);
    }
  }
}

function eventOf(status: string, releaseReason: string | null): StandingEvent | null {
  if (status === "released") return "abort";
  return status === "outrun" && releaseReason === tooSlow ? "timeout" : null;
}

/** Chooses for one answer. @returns the spending with it. */
async function choose(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { deviceId, usage }: { readonly deviceId: Id<"devices">; readonly usage: Usage },
  spending: Spending,
  now: number,
): Promise<Spending> {
  const { organizationId, jobId, modelId } = order;
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
    worth: worthOf(spending, price),
    spentShare: spentShareOf(spending),
  });
  const isDrawn = Math.random() < replayChance(share, owed);
  const mayWait = (row?.waiting ?? 0) < mostWaiting;
  const isAsked = isDrawn && mayWait && (await hasChecker(ctx, order, [deviceId]));
  if (isAsked) {
    // The row has to exist, since it counts the replays that wait.
    await storeStanding(ctx, pair, row, standing, { owed: 0 });
    if (await queueReplay(ctx, order, deviceId)) {
      const isOfBudget = !isOnProbation(standing);
      return plus(spending, { micro: price, answerMs, replayMs: isOfBudget ? answerMs * costShare : 0 });
    }
  }
  // Nobody can tell whether this answer is right, so it is paid. If others wait for their replays, it waits with them.
  if (!isDrawn || mayWait) await releasePay(ctx, jobId, now);
  await storeStanding(ctx, pair, await standingRow(ctx, pair), withEvent(standing, "result", now), {
    owed: Math.min(mostOwed, owed + share),
  });
  return plus(spending, { micro: price, answerMs, replayMs: 0 });
}

import { ConvexError } from "convex/values";
import { validate } from "convex-helpers/validators";
import type { Usage } from "../../../../app/jobs/chat.ts";
import {
  areTokensAlike,
  type CanaryAnswer,
  comparisonOf,
  isEmptyAnswer,
} from "../../../../app/trust/canaries.ts";
import { limitsOf, noReplays } from "../../../../app/trust/honest-replays.ts";
import { leastLogprob } from "../../../../app/trust/replay.ts";
import { isDrifting, mostExcess } from "../../../../app/trust/standing.ts";
import { internal } from "../../../_generated/api.js";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx } from "../../../_generated/server.js";
import { orderOf } from "../../orders/orders.ts";
import { queue } from "../../queue.ts";
import { textAnswer } from "../../validators/answers.ts";
import { beginCase } from "../cases.ts";
import { checkersOf, ofOtherSides } from "../checkers.ts";
import { modeOf } from "../mode.ts";
import { endProbation } from "../pay.ts";
import { queueReplay } from "../replays.ts";
import { authorOf, type EndedJob } from "../sample.ts";
import {
  noteEvent,
  noteFormatReading,
  noteUnchecked,
  standingIn,
  standingRow,
  storeStanding,
} from "../standings.ts";
import type { StoredVoice } from "../validators.ts";

/** Has the canaries among jobs that ended compared, each in a transaction of its own. An error there must not undo the caller's work. */
export async function compareCanariesSoon(ctx: MutationCtx, jobs: readonly EndedJob[]): Promise<void> {
  const found = new Set<Id<"canaries">>();
  for (const { jobId } of jobs) {
    const canary = (await orderOf(ctx, jobId))?.canary;
    if (canary !== undefined) found.add(canary);
  }
  for (const canaryId of found)
    await ctx.scheduler.runAfter(0, internal.trust.canaries.compare, { canaryId });
}

/** Compares the answers to a canary as soon as all devices have answered. Ends it if the organization does not act on checks anymore. */
export async function compareCanary(ctx: MutationCtx, canaryId: Id<"canaries">, now: number): Promise<void> {
  const canary = await ctx.db.get("canaries", canaryId);
  if (canary?.state !== "asked") return;
  const { organizationId, jobIds } = canary;
  const acts = (await modeOf(ctx, organizationId)) === "act";
  const state = acts ? await compare(ctx, canary, now) : await giveUp(ctx, organizationId, jobIds);
  if (state !== "asked") await ctx.db.patch("canaries", canaryId, { state });
}

/** An answer to a canary, with the device that gave it. */
type Given = {
  readonly order: Doc<"orders">;
  readonly device: Doc<"devices">;
  readonly answer: CanaryAnswer;
  readonly usage: Usage;
};

/** The state of a canary after one of its jobs has ended. */
async function compare(
  ctx: MutationCtx,
  canary: Doc<"canaries">,
  now: number,
): Promise<Doc<"canaries">["state"]> {
  const all = await givenTo(ctx, canary);
  if (typeof all === "string") return all;
  const [tested, other, third] = all;
  if (tested === undefined || other === undefined) return "undone";
  const devices = all.map(({ device }) => device);
  // The queue gave a job to another device if more of them are online than are read.
  const areApart = await Promise.all(
    devices.map(async (device, index) => {
      const before = devices.slice(0, index);
      return (await ofOtherSides(ctx, canary.organizationId, [device], before)).length === 1;
    }),
  );
  if (areApart.includes(false)) return "undone";
  // The two honest texts may differ: computers round differently, and most canaries are not greedy.
  if (third !== undefined)
    return isEmptyAnswer(third.answer) ? "undone" : await noteOdd(ctx, tested, [other, third], now);
  switch (comparisonOf(tested.answer, other.answer)) {
    case "nothing":
      return "undone";
    case "fits":
      // Only a checker can tell which of two counts is too high.
      if (areTokensAlike(tested.usage, other.usage)) return await noteFit(ctx, tested, now);
      return (await replay(ctx, tested, now)) ? "replayed" : "undone";
    case "replay":
      return (await replay(ctx, tested, now)) ? "replayed" : "undone";
    case "third": {
      if (await replay(ctx, tested, now)) return "replayed";
      return (await askThird(ctx, canary, devices)) ? "asked" : "undone";
    }
  }
}

/** All answers. `asked`: one is missing yet. `undone`: one will never come, or its text is deleted. */
async function givenTo(
  ctx: MutationCtx,
  { organizationId, jobIds }: Doc<"canaries">,
): Promise<readonly Given[] | "asked" | "undone"> {
  const given: Given[] = [];
  let isMissing = false;
  const histories = new Map(
    (await queue.histories(ctx, organizationId, jobIds)).map((history) => [history.jobId, history]),
  );
  for (const jobId of jobIds) {
    const order = await orderOf(ctx, jobId);
    const history = histories.get(jobId);
    if (order === null || history === undefined) return "undone";
    if (order.usage === undefined) {
      if (((await queue.status(ctx, organizationId, jobId))?.finishedAt ?? null) === null) isMissing = true;
      else return await giveUp(ctx, organizationId, jobIds);
      continue;
    }
    const deviceId = authorOf(ctx, history);
    const device = deviceId === null ? null : await ctx.db.get("devices", deviceId);
    const answer = (await queue.result(ctx, organizationId, jobId))?.result;
    if (device === null || !validate(textAnswer, answer)) return "undone";
    given.push({ order, device, answer, usage: order.usage });
  }
  return isMissing ? "asked" : given;
}

/** Nobody needs the answers: one device gave none, or the organization acts no more. A failed job is discarded, so that nobody has to retry it. */
async function giveUp(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  jobIds: readonly string[],
): Promise<"undone"> {
  for (const jobId of jobIds) {
    await queue.cancel(ctx, organizationId, jobId);
    await queue.deadLetters.discard(ctx, organizationId, jobId, "system");
  }
  return "undone";
}

async function noteFit(ctx: MutationCtx, { order, device }: Given, now: number): Promise<"fits"> {
  const { organizationId, modelId } = order;
  const pair = { organizationId, deviceId: device._id, modelId };
  // A changed device may know the canary, and answer others oddly. So the canary ends the doubt, and does not speak for those.
  const endsDoubt = order.constrained === true && (await noteFormatReading(ctx, pair, "open"));
  if (endsDoubt) return "fits";
  await endProbation(ctx, pair, await noteEvent(ctx, pair, "fits", now), now);
  return "fits";
}

/** Has the tested device's answer replayed. @returns whether that is queued. */
async function replay(ctx: MutationCtx, { order, device }: Given, now: number): Promise<boolean> {
  const { organizationId, modelId } = order;
  const pair = { organizationId, deviceId: device._id, modelId };
  const checkers = await checkersOf(ctx, { order, deviceId: device._id, voices: [] });
  const row = await standingRow(ctx, pair);
  // The row has to exist, since it counts the replays that wait.
  if (row === null) await storeStanding(ctx, pair, row, standingIn(row, now));
  if (checkers === null) await noteUnchecked(ctx, pair, true);
  return checkers !== null && (await queueReplay(ctx, order, device._id, checkers));
}

async function askThird(
  ctx: MutationCtx,
  { _id: canaryId }: Doc<"canaries">,
  heard: readonly Doc<"devices">[],
): Promise<boolean> {
  try {
    const heardIds = heard.map(({ _id }) => _id);
    return await ctx.runMutation(internal.trust.canaries.submitThird, { canaryId, heard: heardIds });
  } catch (thrown) {
    if (!(thrown instanceof ConvexError)) throw thrown;
    return false;
  }
}

/**
 * Two devices wrote something where the tested one wrote nothing. That may happen once between honest computers, so it counts as an odd
 * answer, and several of them are a case, which both devices decide.
 */
async function noteOdd(
  ctx: MutationCtx,
  { order, device }: Given,
  others: readonly [Given, Given],
  now: number,
): Promise<"unclear" | "mismatch"> {
  const { organizationId, modelId } = order;
  const pair = { organizationId, deviceId: device._id, modelId };
  const after = await noteEvent(ctx, pair, "unclear", now, mostExcess);
  if (!isDrifting(after)) return "unclear";
  const [first, second] = others;
  await beginCase(ctx, order, device._id, [voiceOf(first, now), voiceOf(second, now)], true);
  return "mismatch";
}

/** The word of a device that wrote something: the end of the tested device's answer is a token that does not fit. */
function voiceOf({ device }: Given, at: number): StoredVoice {
  return {
    deviceId: device._id,
    owner: device.owner ?? null,
    verdict: "mismatch",
    replay: { tokens: 1, regret: 1, misses: 1, impossible: 0, logprob: leastLogprob },
    excess: mostExcess,
    limit: limitsOf(noReplays).meanRegret,
    at,
  };
}

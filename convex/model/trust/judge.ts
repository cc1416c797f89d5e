import type { FinalEvent } from "@gleaner/queue/validators";
import type { Infer } from "convex/values";
import { parse, validate } from "convex-helpers/validators";
import { assertNever } from "../../../app/assert-never.ts";
import { deviceClassOf } from "../../../app/devices/device-class.ts";
import type { Limits } from "../../../app/trust/honest-replays.ts";
import { type Overclaim, overclaimOf } from "../../../app/trust/overclaim.ts";
import { isDrifting } from "../../../app/trust/standing.ts";
import { excessOf, seriesVerdictOf, verdictOf } from "../../../app/trust/verdict.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { modelsOfDevice } from "../devices/report.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { present } from "../refuse.ts";
import { deviceReport, replayAnswer } from "../validators/answers.ts";
import type { reply } from "../validators/prices.ts";
import { beginCase, endWithoutMore, goOn, hasOverclaim, hearVoice } from "./cases.ts";
import { checkersOf, type GrammarsOfReading, grammarsOfReading, isHeard } from "./checkers.ts";
import { payChecker } from "./checkPay.ts";
import { learn, learnedLimits, type ReplayKind } from "./limits.ts";
import { endProbation } from "./pay.ts";
import { queueReplay, replayOfJob } from "./replays.ts";
import { countWaiting, noteEvent, noteFormatReading, noteUnchecked, standingRow } from "./standings.ts";
import type { StoredVoice } from "./validators.ts";

/**
 * Judges an answer by the replay that just ended, and pays the checker. It runs in the transaction that ends the replay.
 * @returns the checker's pay; null if the replay was not done.
 */
export async function judgeReplay(
  ctx: MutationCtx,
  event: FinalEvent,
  now: number,
): Promise<Infer<typeof reply> | null> {
  const replay = await replayOfJob(ctx, event.jobId);
  // An admin may retry a job whose replay is judged already.
  if (replay?.state !== "waiting") return null;
  const order = present(await orderOf(ctx, replay.of), "order of a replay");
  const checker = ctx.db.normalizeId("devices", event.worker ?? "");
  const result = (await queue.result(ctx, event.scope, event.jobId))?.result;
  if (event.outcome !== "succeeded" || checker === null || !validate(replayAnswer, result)) {
    await leaveUnjudged(ctx, replay, now);
    return null;
  }
  await countWaiting(ctx, replay, -1);
  const kind = await kindOf(ctx, replay, checker);
  const limits = await learnedLimits(ctx, kind);
  const trustCase = replay.caseId === undefined ? null : await ctx.db.get("trustCases", replay.caseId);
  const device = await ctx.db.get("devices", checker);
  const checked = { order, deviceId: replay.deviceId, voices: trustCase?.voices ?? [] };
  if (!(await isHeard(ctx, checked, checker, device))) {
    await ctx.db.patch("replays", replay._id, { state: "undone" });
    await askAnother(ctx, order, replay, trustCase, now);
    return { earnedMicro: 0n, price: order.price, unheard: true };
  }
  const overclaim = overclaimIn(order, replay, result);
  const { usage } = parse(deviceReport, event.report);
  // A grammar forced the whole answer, so nobody can tell which model wrote it.
  const tellsNothing = result.replay.tokens === 0 && (overclaim ?? null) === null;
  if (tellsNothing && trustCase === null) {
    await ctx.db.patch("replays", replay._id, { state: "undone" });
    await noteUnchecked(ctx, replay, true);
    await endUnjudged(ctx, replay, now);
    return await payChecker(ctx, event.jobId, order, checker, usage.promptTokens, now);
  }
  const by = { deviceId: checker, owner: device?.owner ?? null, at: now };
  const compared = voiceOf(result.replay, by, limits, trustCase?.isSeries ?? false);
  const grammars = await grammarsOfReading(ctx, checked, checker);
  const areEqual = grammars === "same" || grammars === "old";
  // In a case another device found more, so the next one is asked.
  const said: StoredVoice = tellsNothing
    ? { ...compared, verdict: "unclear" }
    : areEqual
      ? compared
      : withoutDoubt(compared);
  const voice = withTokens(said, overclaim, trustCase);
  await ctx.db.patch("replays", replay._id, { state: "done", voice });
  const counts = await noteFormat(ctx, order, replay, compared.verdict, grammars);
  if (trustCase === null)
    await judgeFirst(ctx, order, replay, { kind: areEqual ? kind : null, counts }, voice);
  else await hearVoice(ctx, trustCase, order, voice);
  return await payChecker(ctx, event.jobId, order, checker, usage.promptTokens, now);
}

/** An owner with more devices than are kept from a replay must not have the organization ask for replays without end. */
const mostUnheard = 3;

/**
 * Asks another device in place of one whose report was not heard. The queue gave the replay to that device because it has joined or changed
 * hands since, or because more devices are of that side than the queue keeps from a replay.
 */
async function askAnother(
  ctx: MutationCtx,
  order: Doc<"orders">,
  replay: Doc<"replays">,
  trustCase: Doc<"trustCases"> | null,
  now: number,
): Promise<void> {
  const { deviceId } = replay;
  const unheard = (replay.unheard ?? 0) + 1;
  if (unheard >= mostUnheard) {
    await endUnjudged(ctx, replay, now);
    return;
  }
  if (trustCase !== null) {
    await goOn(ctx, trustCase, order, now, unheard);
    return;
  }
  const checkers = await checkersOf(ctx, { order, deviceId, voices: [] });
  if (checkers !== null && (await queueReplay(ctx, order, deviceId, checkers, { unheard }))) return;
  await noteUnchecked(ctx, { deviceId, modelId: replay.modelId }, true);
  await endUnjudged(ctx, replay, now);
}

/** Nobody could tell whether the answer is right. So nothing is held against anybody, and pay that waits goes on waiting. */
export async function leaveUnjudged(ctx: MutationCtx, replay: Doc<"replays">, now: number): Promise<void> {
  await ctx.db.patch("replays", replay._id, { state: "undone" });
  await countWaiting(ctx, replay, -1);
  await endUnjudged(ctx, replay, now);
}

async function endUnjudged(ctx: MutationCtx, { caseId, of }: Doc<"replays">, now: number): Promise<void> {
  const canary = caseId === undefined ? (await orderOf(ctx, of))?.canary : undefined;
  if (canary !== undefined) await ctx.db.patch("canaries", canary, { state: "undone" });
  if (caseId !== undefined) await endWithoutMore(ctx, caseId, now);
}

async function kindOf(ctx: QueryCtx, replay: Doc<"replays">, checker: Id<"devices">): Promise<ReplayKind> {
  const { organizationId, sha256, modelId, deviceClass: worker = null } = replay;
  const [device, models] = await Promise.all([ctx.db.get("devices", checker), modelsOfDevice(ctx, checker)]);
  const backend = models.find((model) => model.modelId === modelId)?.speed?.backend ?? null;
  return {
    organizationId,
    sha256,
    worker,
    checker: device === null ? null : deviceClassOf(device.platform, backend),
  };
}

function voiceOf(
  replay: StoredVoice["replay"],
  by: Pick<StoredVoice, "deviceId" | "owner" | "at">,
  limits: Limits,
  isSeries: boolean,
): StoredVoice {
  return {
    ...by,
    verdict: (isSeries ? seriesVerdictOf : verdictOf)(replay, limits),
    replay,
    excess: excessOf(replay, limits),
    limit: limits.meanRegret,
  };
}

/** The tokens that the answer's device reported, if the checker counted far fewer. Undefined: the checker did not count them. */
function overclaimIn(
  { usage }: Doc<"orders">,
  { unseenTokens }: Doc<"replays">,
  { replay, counted }: Infer<typeof replayAnswer>,
): Overclaim | null | undefined {
  if (usage === undefined || unseenTokens === undefined || counted === undefined) return undefined;
  return overclaimOf(usage, counted, replay, unseenTokens);
}

/**
 * Adds the reported tokens to a voice. Too many are a mismatch, also if the text fits. A device of an older version does not count
 * tokens, so in a case about them its word is not clear.
 */
function withTokens(
  voice: StoredVoice,
  overclaim: Overclaim | null | undefined,
  trustCase: Doc<"trustCases"> | null,
): StoredVoice {
  if (voice.verdict === "mismatch") return voice;
  if (overclaim === undefined)
    return trustCase !== null && hasOverclaim(trustCase) ? { ...voice, verdict: "unclear" } : voice;
  return overclaim === null ? voice : { ...voice, verdict: "mismatch", overclaim };
}

/** A voice of a checker with other grammars than the answer's device: what does not fit for it may be a difference of the two. */
function withoutDoubt(voice: StoredVoice): StoredVoice {
  return voice.verdict === "fits" ? voice : { ...voice, verdict: "unclear", excess: 0 };
}

/**
 * Notes what a replay of an answer in a format tells. If only devices with other grammars read such answers of a device, nothing is held
 * against it, so a canary has to tell, and not a device with the same old grammars, which may be a friend's. A changed device may know the
 * canary, and answer others oddly. So a canary that ends the doubt does not count for those.
 * @returns whether the replay counts in the standing. These do not, since friends would release each other's held pay:
 * - a fit by the same old grammars before somebody else has found such an answer right, or after one was odd;
 * - a fit of a version that nobody knows after one was odd. An odd answer of it does not count, either: a device that is updated before the
 *   backend has such a version, and programs of other versions may misread each of its answers.
 */
async function noteFormat(
  ctx: MutationCtx,
  { constrained, canary }: Doc<"orders">,
  replay: Doc<"replays">,
  found: StoredVoice["verdict"],
  grammars: GrammarsOfReading,
): Promise<boolean> {
  if (constrained !== true) return true;
  const fits = found === "fits";
  switch (grammars) {
    case "old":
      return !fits || (await standingRow(ctx, replay))?.oddFormat === false;
    case "other":
      if (!fits) await noteFormatReading(ctx, replay, "odd");
      // A fit ends no doubt.
      else if ((await standingRow(ctx, replay))?.oddFormat === undefined)
        await noteFormatReading(ctx, replay, "right");
      return true;
    case "unknown":
      if (!fits) await noteFormatReading(ctx, replay, "odd");
      return fits && (await standingRow(ctx, replay))?.oddFormat !== true;
    case "same": {
      if (!fits) return true;
      const endsDoubt = await noteFormatReading(ctx, replay, canary === undefined ? "right" : "open");
      return !(endsDoubt && canary !== undefined);
    }
    default:
      return assertNever(grammars);
  }
}

/**
 * Takes the first replay of an answer: it changes the standing of its device if it counts, or opens a case. With `kind` the limits learn
 * from it.
 */
async function judgeFirst(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { deviceId }: Doc<"replays">,
  { kind, counts }: { readonly kind: ReplayKind | null; readonly counts: boolean },
  voice: StoredVoice,
): Promise<void> {
  const { organizationId, modelId } = order;
  const { verdict, replay, excess, at } = voice;
  if (order.canary !== undefined) await ctx.db.patch("canaries", order.canary, { state: verdict });
  await noteUnchecked(ctx, { deviceId, modelId }, false);
  if (verdict === "mismatch") {
    await beginCase(ctx, order, deviceId, [voice], false);
    return;
  }
  if (!counts) return;
  const after = await noteEvent(ctx, { organizationId, deviceId, modelId }, verdict, at, excess);
  if (kind !== null) await learn(ctx, kind, replay);
  if (isDrifting(after)) {
    await beginCase(ctx, order, deviceId, [{ ...voice, verdict: "mismatch" }], true);
    return;
  }
  await endProbation(ctx, { deviceId, modelId }, after, at);
}

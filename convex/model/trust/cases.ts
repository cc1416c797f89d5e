import { unreliabilityWords } from "../../../app/devices/reliability.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import { type CaseState, stateOf, type TrustCase } from "../../../app/trust/case.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { pauseForFailures } from "../devices/service.ts";
import { orderOf } from "../orders/orders.ts";
import { present } from "../refuse.ts";
import { checkersOf } from "./checkers.ts";
import { beginCorrection } from "./corrections.ts";
import { modeOf } from "./mode.ts";
import { endProbation, holdForCase, refusePay, releaseAfterCase, settleHeld, takeBack } from "./pay.ts";
import { queueReplay } from "./replays.ts";
import { noteEvent } from "./standings.ts";
import type { StoredVoice } from "./validators.ts";

type StoredCase = Doc<"trustCases">;

/** Whether a voice of a case found far fewer tokens than its device reported: the answer itself may be right. */
export function hasOverclaim({ voices }: Pick<StoredCase, "voices">): boolean {
  return voices.some(({ overclaim }) => overclaim !== undefined);
}

/**
 * Opens a case about an answer that did not fit, holds its pay, and asks another device unless the voices decide.
 * @param voices in their order.
 * @param isSeries whether all answers together do not fit.
 */
export async function beginCase(
  ctx: MutationCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
  voices: readonly [StoredVoice, ...StoredVoice[]],
  isSeries: boolean,
): Promise<void> {
  const { organizationId, jobId, modelId } = order;
  const [{ at }] = voices;
  const caseId = await ctx.db.insert("trustCases", {
    organizationId,
    jobId,
    deviceId,
    modelId,
    isSeries,
    voices: [...voices],
    state: "open",
  });
  if ((await modeOf(ctx, organizationId)) === "act") await holdForCase(ctx, order, { deviceId, caseId, at });
  const by = { actor: "system", at } as const;
  await record(ctx, {
    organizationId,
    ...by,
    action: "device.case-opened",
    subject: deviceId,
    detail: modelId,
  });
  await goOn(ctx, present(await ctx.db.get("trustCases", caseId), "case"), order, at);
}

/** Adds a device's replay to its case, and ends the case if that decides it. */
export async function hearVoice(
  ctx: MutationCtx,
  trustCase: StoredCase,
  order: Doc<"orders">,
  voice: StoredVoice,
): Promise<void> {
  const heard = { ...trustCase, voices: [...trustCase.voices, voice] };
  await ctx.db.patch("trustCases", trustCase._id, { voices: heard.voices });
  await goOn(ctx, heard, order, voice.at);
}

/** Ends a case for which nobody else replays the answer. */
export async function endWithoutMore(ctx: MutationCtx, caseId: Id<"trustCases">, now: number): Promise<void> {
  const trustCase = await ctx.db.get("trustCases", caseId);
  if (trustCase?.state !== "open") return;
  const order = present(await orderOf(ctx, trustCase.jobId), "order of a case");
  await end(ctx, trustCase, order, stateOf(caseIn(trustCase), false), now);
}

function caseIn({ deviceId, voices }: StoredCase): TrustCase {
  return {
    accused: { device: deviceId },
    voices: voices.map((voice) => ({
      device: voice.deviceId,
      verdict: voice.verdict,
      ofTokens: voice.overclaim !== undefined,
    })),
  };
}

/**
 * Asks another device, or ends the case.
 * @param unheard the reports since the last voice that were not heard.
 */
export async function goOn(
  ctx: MutationCtx,
  trustCase: StoredCase,
  order: Doc<"orders">,
  now: number,
  unheard = 0,
): Promise<void> {
  const { deviceId, voices, _id: caseId } = trustCase;
  let state = stateOf(caseIn(trustCase), true);
  if (state.kind === "open") {
    const checkers = await checkersOf(ctx, { order, deviceId, voices });
    const asked = { caseId, ...(unheard === 0 ? {} : { unheard }) };
    if (checkers !== null && (await queueReplay(ctx, order, deviceId, checkers, asked))) return;
    state = stateOf(caseIn(trustCase), false);
  }
  await end(ctx, trustCase, order, state, now);
}

async function end(
  ctx: MutationCtx,
  trustCase: StoredCase,
  order: Doc<"orders">,
  state: CaseState,
  now: number,
): Promise<void> {
  if (state.kind === "open") throw new Error(`case ${trustCase._id} has not ended`);
  const { _id, organizationId, deviceId, modelId, isSeries } = trustCase;
  const accused = { organizationId, deviceId, modelId };
  const wrong = state.kind === "wrong" ? wrongs[state.about] : null;
  if (state.kind !== "undecided") {
    const after = await noteEvent(ctx, accused, wrong?.event ?? "cleared", now);
    // A series says nothing against the checker of its last answer.
    for (const device of isSeries ? [] : state.misjudged) {
      const misjudged = ctx.db.normalizeId("devices", device);
      if (misjudged !== null) await noteEvent(ctx, { ...accused, deviceId: misjudged }, "misjudged", now);
    }
    await endProbation(ctx, accused, after, now);
  }
  const acts = wrong !== null && (await modeOf(ctx, organizationId)) === "act";
  const takenMicro = acts ? await punish(ctx, order, trustCase, wrong.event, now) : 0n;
  // Nobody needs another answer to a canary, or if only the tokens were counted wrongly.
  if (acts && wrong.event === "wrong" && order.canary === undefined) await beginCorrection(ctx, order, now);
  if (!acts) await releaseAfterCase(ctx, order, deviceId, now);
  await ctx.db.patch("trustCases", _id, {
    state: state.kind,
    closedAt: now,
    ...(takenMicro === 0n ? {} : { takenMicro }),
  });
  const by = { actor: "system", at: now } as const;
  const words = state.kind === "wrong" ? wrongs[state.about].words : endWords[state.kind];
  const detail = `${modelId}: ${words}${takenMicro === 0n ? "" : `; ${formatExactCredits(takenMicro)} taken back`}`;
  await record(ctx, { organizationId, ...by, action: "device.case-closed", subject: deviceId, detail });
}

/** The event of a standing, and the words of the audit trail. */
const wrongs = {
  text: { event: "wrong", words: "the answer is not of this model" },
  tokens: { event: "overclaimed", words: "it has fewer tokens than the device reported" },
} as const;
const endWords = {
  right: "the answer is right",
  undecided: "nobody could tell",
} as const;

/**
 * Refuses the held pay of the device with the model, and takes back what was already paid for the wrong answer. Pauses the device
 * until an administrator resumes it. @returns the amount that was taken back.
 */
async function punish(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { deviceId, modelId }: StoredCase,
  cause: "wrong" | "overclaimed",
  now: number,
): Promise<bigint> {
  const rest = await takeBack(ctx, order, deviceId, now);
  // Its correction needs the price soon.
  const taken = rest + (await refusePay(ctx, order.jobId, now));
  await settleHeld(ctx, { deviceId, modelId }, "refused", now);
  const device = await ctx.db.get("devices", deviceId);
  if (device?.status !== "active" || device.pause !== undefined) return taken;
  const row = await ctx.db
    .query("standings")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId).eq("modelId", modelId))
    .unique();
  const { fits = 0, unclear = 0, wrong = 0, overclaimed = 0 } = row?.standing.counts ?? {};
  const failed = Math.max(1, wrong + overclaimed);
  const found = { failed, of: fits + unclear + failed, cause } as const;
  await pauseForFailures(ctx, device, found, unreliabilityWords(found), now);
  return taken;
}

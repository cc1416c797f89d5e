import { energyMistake } from "../../../app/energy/job-energy.ts";
import { usageMistake } from "../../../app/jobs/answers/usage-check.ts";
import { holdsCounts, replayResult } from "../../../app/trust/replay.ts";
import type { QueryCtx } from "../../_generated/server.js";
import { orderOf } from "../orders/orders.ts";
import { present } from "../refuse.ts";
import type { Answer } from "../requests/answer.ts";
import { replayOfJob } from "./replays.ts";

/** The end of each passage of an answer counts as a token. */
const endTokens = 1;

/**
 * A sentence about the mistake in a device's report of a replay, which quotes nothing of the report. Null without a mistake.
 * @param heldMs how long the device has had the job.
 */
export async function replayMistake(
  ctx: QueryCtx,
  jobId: string,
  { result, report }: Answer,
  heldMs: number,
): Promise<string | null> {
  const replay = present(await replayOfJob(ctx, jobId), "order or replay of a job");
  const {
    most,
    promptTokens = most.promptTokens,
    constrained = false,
  } = present(await orderOf(ctx, replay.of), "order of a replay");
  if (!("replay" in result)) return "The answer is of another kind than the job.";
  const { usage, timing, model, energy } = report;
  const counts = replayResult.safeParse({ ...result, usage: countsOf(usage), timing }).data;
  if (counts === undefined || !holdsCounts(counts, constrained))
    return "The counts of the replay do not fit each other.";
  const { replay: compared, counted } = counts;
  if (Math.max(compared.tokens, counted?.completionTokens ?? 0) > replay.answerBytes + endTokens)
    return "The replay has more tokens than the answer can have.";
  // Only a grammar leaves tokens out. An empty report would be paid, and would end a case.
  if (!constrained && replay.answerBytes > 0 && compared.tokens === 0)
    return "The replay compares no token of the answer.";
  if ((result.counted?.promptTokens ?? 0) > promptTokens)
    return "The replay has more tokens than the prompt can have.";
  if (model !== replay.sha256) return "The replay is of another file than the model's.";
  const bounds = {
    promptTokens: promptTokens + replay.answerBytes,
    contextTokens: most.promptTokens,
    maxTokens: 0,
    answerBytes: 0,
  };
  const ofEnergy = energy === undefined ? null : energyMistake(energy, heldMs);
  return ofEnergy ?? usageMistake({ usage, timing }, bounds, heldMs);
}

function countsOf({ promptTokens, completionTokens }: Answer["report"]["usage"]) {
  return { promptTokens, completionTokens };
}

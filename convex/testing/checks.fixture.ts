import type { Infer } from "convex/values";
import { vi } from "vitest";
import { grammarTag } from "../../app/grammar-version.ts";
import type { CheckMode } from "../../app/trust/check-mode.ts";
import { api, internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { setMode } from "../model/trust/mode.ts";
import { standingIn, standingRow, storeStanding } from "../model/trust/standings.ts";
import type { replayAnswer, replayCounts } from "../model/validators/answers.ts";
import {
  addDevice,
  type Backend,
  claim,
  completeWith,
  type Device,
  greeting,
  modelId,
  type Organization,
  pass,
  submit,
  take,
} from "./backend.fixture.ts";

/*
 * Devices that answer, and that replay the answers of others.
 */

type Counts = Infer<typeof replayCounts>;
type TokensCounted = Infer<typeof replayAnswer>["counted"];

/** How an honest answer of twelve tokens looks to an honest checker. */
export const fitting: Counts = { tokens: 12, regret: 0.01, misses: 0, impossible: 0, logprob: -4 };
/** Noise. */
export const noise: Counts = { tokens: 12, regret: 8, misses: 10, impossible: 6, logprob: -150 };
/** One odd token: too little to accuse anybody. */
export const odd: Counts = { tokens: 12, regret: 0.9, misses: 2, impossible: 0, logprob: -9 };

export const answerText = "Vienna is the capital of Austria.";
export const answerUsage = { promptTokens: 10, completionTokens: 12 };

/** Arguments of `hello` of a device that can replay answers. */
export function checkerGreeting(grammar = grammarTag) {
  const { capabilities, ...rest } = greeting([modelId]);
  const kinds = [...capabilities.kinds, "replay"];
  return { ...rest, capabilities: { ...capabilities, kinds, tags: [grammar] } };
}

/** A device that can replay answers. */
export async function addChecker(
  t: Backend,
  acme: Organization,
  name: string,
  grammar?: string,
): Promise<Device> {
  const device = await addDevice(t, acme, name);
  await t.mutation(api.work.hello, { key: device.key, ...checkerGreeting(grammar) });
  return device;
}

/** Notes of a device that no replay could test its last answer, so that it needs a canary. */
export async function leaveUnchecked(
  t: Backend,
  { organizationId }: Organization,
  { deviceId }: Device,
): Promise<void> {
  const pair = { organizationId, deviceId, modelId };
  await t.run(async (ctx) => {
    const row = await standingRow(ctx, pair);
    await storeStanding(ctx, pair, row, standingIn(row, Date.now()), { unchecked: true });
  });
}

/** An answer, if not the usual one, and its reported tokens. */
type Answered = { readonly text?: string; readonly usage?: typeof answerUsage };

/** Lets the device answer a new job. @returns the job's id. */
export async function answerJob(
  t: Backend,
  acme: Organization,
  device: Device,
  answered: Answered = {},
): Promise<string> {
  const jobId = await submit(t, acme);
  await completeJob(t, device, jobId, answered);
  return jobId;
}

/** Answers a job that is in the queue. */
export async function completeJob(t: Backend, device: Device, jobId: string, answered: Answered = {}) {
  const { text = answerText, usage = answerUsage } = answered;
  const attemptId = await claim(t, device, jobId);
  return await completeWith(t, device, attemptId, {
    result: { text, finishReason: "stop" },
    report: { usage: { ...usage }, timing: { prefillMs: 5, generateMs: 20 } },
  });
}

/** Lets the answers of the last minutes be counted and chosen, as the cron does. */
export async function choose(t: Backend): Promise<void> {
  vi.setSystemTime(Date.now() + 60_000);
  await t.mutation(internal.maintenance.countStatistics, {});
  for (let round = 0; round < 5; round += 1) await pass(t, 10);
}

/** The stored replays, oldest first. */
export async function replaysOf(t: Backend): Promise<readonly Doc<"replays">[]> {
  return await t.run(async (ctx) => await ctx.db.query("replays").collect());
}

export async function casesOf(t: Backend): Promise<readonly Doc<"trustCases">[]> {
  return await t.run(async (ctx) => await ctx.db.query("trustCases").collect());
}

export async function standingOf(t: Backend, { deviceId }: Device): Promise<Doc<"standings"> | null> {
  return await t.run(
    async (ctx) =>
      await ctx.db
        .query("standings")
        .withIndex("by_device", (q) => q.eq("deviceId", deviceId).eq("modelId", modelId))
        .unique(),
  );
}

/** Takes the next replay that the device may have; null if it gets none. */
export async function takeReplay(t: Backend, device: Device) {
  const jobs = await take(t, device);
  return jobs.find(({ kind }) => kind === "replay") ?? null;
}

/** Completes a replay with counts. @returns the reply of the backend. */
export async function report(
  t: Backend,
  device: Device,
  attemptId: string,
  replay: Counts,
  model = "ab".repeat(32),
  counted?: TokensCounted,
) {
  return await completeWith(t, device, attemptId, {
    result: { replay, ...(counted === undefined ? {} : { counted }) },
    report: {
      usage: { promptTokens: 22, completionTokens: 0 },
      timing: { prefillMs: 9, generateMs: 0 },
      model,
    },
  });
}

/**
 * Lets the device do the next replay that it may have. Throws if it gets none.
 * @param counted the tokens that it counts; absent: as an older device, it reports none.
 */
export async function check(t: Backend, device: Device, replay: Counts, counted?: TokensCounted) {
  const job = await takeReplay(t, device);
  if (job === null) throw new Error("no replay for this device");
  const outcome = await report(t, device, job.attemptId, replay, undefined, counted);
  await pass(t, 10);
  return outcome;
}

/** Has five answers of a device checked, which ends its probation. */
export async function endProbation(
  t: Backend,
  acme: Organization,
  device: Device,
  checker: Device,
): Promise<void> {
  for (let each = 0; each < 5; each += 1) {
    await answerJob(t, acme, device);
    await choose(t);
    await check(t, checker, fitting);
  }
}

/** Changes what the organization does with checks. */
export async function chooseMode(
  t: Backend,
  { organizationId }: Organization,
  mode: CheckMode,
): Promise<void> {
  const by = { actor: "system", at: Date.now() } as const;
  await t.run(async (ctx) => await setMode(ctx, organizationId, mode, by));
}

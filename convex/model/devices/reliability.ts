import {
  countCleared,
  isFromChecks,
  reliability,
  unreliabilityOf,
  unreliabilityWords,
} from "../../../app/devices/reliability.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { type Page, pastOf, readPage, seen } from "./pastAttempts.ts";
import { pauseForFailures, resumeByItself } from "./service.ts";

/**
 * Pauses a device that fails too often, and resumes one whose failures turned out to be those of the jobs. Called after
 * attempts that ended without an answer, and after the ends of their jobs. It reads the queue's attempts and keeps no counts
 * of its own, so that other jobs cost nothing more.
 */
export async function judgeDevice(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<void> {
  const { judgedFrom = 0, pause } = device;
  // Answers that were found to be wrong have nothing to do with failures.
  if (device.status !== "active" || (pause !== undefined && isFromChecks(pause.cause))) return;
  const since = Math.max(judgedFrom, now - reliability.withinMs);
  const newest = await readPage(ctx, device, since);
  if (pause === undefined && isHarmless(newest)) return;
  const others = await queue.workers.areOthersAccepting(ctx, device.organizationId, device.workerId);
  // Without another device nobody could do the jobs of this one, and only the backend itself can tell of its failures.
  const isSeen = newest.attempts.some(({ error }) => seen.has(error?.code ?? ""));
  if (pause === undefined && !others && !isSeen) return;
  const past = await pastOf(ctx, device, { newest, since, others });
  const found = unreliabilityOf(past);
  if (found !== null && pause === undefined) {
    await pauseForFailures(ctx, device, found, unreliabilityWords(found), now);
  }
  if (found === null && pause !== undefined && countCleared(past) >= reliability.incidents) {
    await resumeByItself(ctx, device, now);
  }
}

/** Few failures pause nobody. That saves most devices the rest of the judgment. */
function isHarmless({ attempts, next }: Page): boolean {
  const count = (...statuses: string[]) => attempts.filter(({ status }) => statuses.includes(status)).length;
  const isAll = next === null || count("succeeded") >= reliability.attempts;
  return isAll && count("failed", "lost", "canceled", "released", "stolen", "outrun") < reliability.incidents;
}

/** Judges the devices that did not finish a job, now that it has ended. */
export async function judgeDevicesOf(ctx: MutationCtx, order: Doc<"orders">, now: number): Promise<void> {
  const attempts = await queue.attempts(ctx, order.organizationId, order.jobId);
  const names = attempts.filter(({ status }) => status !== "succeeded").map(({ worker }) => worker ?? "");
  for (const name of new Set(names)) {
    const deviceId = ctx.db.normalizeId("devices", name);
    const device = deviceId === null ? null : await ctx.db.get("devices", deviceId);
    if (device !== null) await judgeDevice(ctx, device, now);
  }
}

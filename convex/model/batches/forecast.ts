import type { LaneView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { batchEndpoints } from "../../../app/batches/limits.ts";
import { addSample, type CapacityDay, daysOfShare, forecastDays } from "../../../app/forecast/capacity.ts";
import {
  type BatchOutlook,
  type Forecast,
  forecastBatch,
  workBeforeAnswers,
} from "../../../app/forecast/forecast.ts";
import type { ModelRecord } from "../../../app/forecast/work.ts";
import { ableShare } from "../../../app/jobs/chances.ts";
import type { DataClass } from "../../../app/keys/data-classes.ts";
import { countOf } from "../../../app/statistics/sketch.ts";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { fleetTotalsOf } from "../fleet/counts.ts";
import { dataClassesOf } from "../keys/dataClasses.ts";
import { findModel } from "../models/catalog.ts";
import type { depthOf } from "../organizations/depthSamples.ts";
import { queue } from "../queue.ts";
import { type KnownFleet, knownFleet } from "../requests/chances.ts";
import { needsIfAllowed, requirementsOf } from "../requests/needs.ts";
import { modelTotals } from "../statistics/rollUp.ts";
import { batchForecast, lineMistake } from "../validators/batches.ts";
import { knownErrors } from "./work.ts";

/*
 * The forecasts of batches. Once a minute the fleet's size is noted, and every open batch gets a new forecast. It is stored, so that
 * every page and call tells the same. docs/forecast.md explains it.
 */

/** Notes how many devices donate, and whether jobs wait for them. Days that are too old for a forecast are deleted. */
export async function noteCapacity(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  depths: readonly Infer<typeof depthOf>[],
  at: number,
): Promise<void> {
  const { ready = 0, running = 0 } = depths.find(({ by }) => by === "all") ?? {};
  const { donating: devices } = await fleetTotalsOf(ctx, organizationId);
  const startAt = bucketOf(at, spans.day);
  const row = await ctx.db
    .query("capacityDays")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("startAt", startAt))
    .unique();
  const hours = addSample(row?.hours ?? [], { at, devices, ready, running });
  if (row !== null) {
    await ctx.db.patch("capacityDays", row._id, { hours });
    return;
  }
  await ctx.db.insert("capacityDays", { organizationId, startAt, hours });
  // By their number and not by their age: a clock that is wrong for a minute must not delete the history.
  const days = await ctx.db
    .query("capacityDays")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .take(2 * forecastDays);
  for (const { _id } of days.slice(forecastDays + 1)) await ctx.db.delete("capacityDays", _id);
}

/** The facts about an organization that its forecasts are made from. They are read once for all its batches. */
type Fleet = {
  readonly days: readonly CapacityDay[];
  readonly devicesNow: number;
  readonly models: ReadonlyMap<string, ModelRecord>;
  readonly open: readonly Doc<"batches">[];
  /** Of the estimates for batches that have ended. */
  readonly errors: readonly number[];
  readonly known: KnownFleet;
  readonly classes: readonly DataClass[];
  readonly lanes: readonly LaneView[];
};

/** More open batches of an organization than these are not counted as being ahead. */
const mostOpenRead = 100;
/** The devices that are looked at. Those of a larger fleet are taken to be like them. */
const mostDevicesRead = 100;

async function fleetOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Fleet> {
  const [days, { donating }, models, open, errors, known, classes, lanes] = await Promise.all([
    ctx.db
      .query("capacityDays")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
      .order("desc")
      .take(forecastDays),
    fleetTotalsOf(ctx, organizationId),
    modelTotals(ctx, organizationId),
    ctx.db
      .query("batches")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", "in_progress"))
      .take(mostOpenRead),
    knownErrors(ctx, organizationId),
    knownFleet(ctx, organizationId, mostDevicesRead),
    dataClassesOf(ctx, organizationId),
    queue.lanes.list(ctx, organizationId),
  ]);
  const records = models.map(({ subject, tally }): [string, ModelRecord] => {
    const { run, returned, lost } = tally;
    return [subject, { answered: countOf(run), runMs: run.sum, interrupted: returned + lost }];
  });
  return {
    days: days.reverse(),
    devicesNow: donating,
    models: new Map(records),
    open,
    errors,
    known,
    classes,
    lanes,
  };
}

/** A batch that may not exist yet. `model`, `startedAt`: undefined if not known. */
export type BatchOutline = Pick<
  Doc<"batches">,
  "organizationId" | "apiKeyId" | "endpoint" | "expiresAt" | "total" | "jobs" | "completed" | "failed"
> & {
  readonly _id?: Id<"batches">;
  readonly model?: string | undefined;
  /** Its requirements on devices, in addition to those of its key. */
  readonly requires?: Doc<"batches">["requires"];
  /** Whether most of its requests have the high priority. */
  readonly isHigh?: boolean | undefined;
  readonly startedAt?: number | undefined;
};

/** The place of a batch in its fleet. */
type Place = {
  /** The share of the fleet that could answer the batch: devices that have its model or could get it, and that its key may use. 1: unknown. */
  readonly share: number;
  /** How long those devices take for the ready jobs of higher priority, in ms. Null: unknown. */
  readonly firstMs: number | null;
};

async function placeOf(
  ctx: QueryCtx,
  { known, classes, lanes }: Fleet,
  { organizationId, apiKeyId, endpoint, model: modelId, isHigh = false, requires }: BatchOutline,
  now: number,
): Promise<Place> {
  const [model, key] = await Promise.all([
    modelId === undefined ? null : findModel(ctx, organizationId, modelId),
    ctx.db.get("apiKeys", apiKeyId),
  ]);
  const needs = key === null ? null : (needsIfAllowed(key, requires, classes)?.needs ?? null);
  if (model === null || needs === null) return { share: 1, firstMs: null };
  const { modelId: named, sizeBytes: modelBytes } = model;
  const kind = batchEndpoints[endpoint];
  const wanted = { modelId: named, modelBytes, kind, needs };
  const requirements = { model: named, ...requirementsOf(needs) };
  return {
    share: ableShare(known.devices, wanted, now, known.isWhole) ?? 1,
    firstMs: isHigh ? 0 : waitForHigher(lanes, { kind, requirements }, now),
  };
}

/** An older count says nothing about the present. */
const countKeptMs = 3 * 60_000;
/** A new job of the normal priority waits for the ready jobs of that priority and of the high one. */
const normal = 1;

/**
 * How long a job of low priority waits for the ready jobs of higher ones, also in other lanes of the same workers, by the queue's last
 * count, ms. Of several lanes with these requirements, which differ by the length of their jobs' texts, the one with most jobs counts.
 * Null: not counted.
 */
function waitForHigher(
  lanes: readonly LaneView[],
  { kind, requirements }: Pick<LaneView, "kind" | "requirements">,
  now: number,
): number | null {
  const own = lanes.filter((lane) => lane.kind === kind && hasRequirements(lane, requirements));
  const recent = own.filter(({ countedAt }) => countedAt !== null && now - countedAt <= countKeptMs);
  const [most] = recent.toSorted((a, b) => b.ready - a.ready || b.running - a.running);
  if (most === undefined) return null;
  const wait = most.waits?.[normal] ?? null;
  // The queue measures no wait for a lane without ready jobs if the other lanes have none either.
  return wait === null && most.ready === 0 && lanes.every(hasNoneHigher) ? 0 : wait;
}

/** Whether no job of normal or high priority is ready in the lane, as far as is known. */
function hasNoneHigher({ ready, waits }: LaneView): boolean {
  return ready === 0 || waits?.[normal] === 0;
}

function hasRequirements({ requirements }: LaneView, wanted: LaneView["requirements"]): boolean {
  const { contextTokens: _, ...own } = requirements;
  return sortedJson(own) === sortedJson(wanted);
}

/** The queue sorts the lists of a lane's requirements. */
function sortedJson(requirements: LaneView["requirements"]): string {
  const fields = Object.entries(requirements).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    fields.map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value]),
  );
}

function forecastIn(fleet: Fleet, batch: BatchOutline, place: Place, now: number): Forecast | null {
  return forecastBatch(factsIn(fleet, batch, place, now));
}

function factsIn(fleet: Fleet, batch: BatchOutline, { share, firstMs }: Place, now: number): BatchOutlook {
  return {
    now,
    expiresAt: batch.expiresAt,
    startedAt: batch.startedAt ?? null,
    // A wrong line ends at once, so it says nothing about the pace.
    answered: Math.round(batch.completed * jobsPerRequest(batch)),
    left: leftOf(batch),
    ahead: aheadOf(batch, fleet.open, firstMs !== null),
    firstMs: firstMs ?? 0,
    days: share === 1 ? fleet.days : daysOfShare(fleet.days, share),
    devicesNow: share * fleet.devicesNow,
    // An empty name is that of all models which have no record of their own.
    model: batch.model === undefined ? null : (fleet.models.get(batch.model) ?? null),
    errors: fleet.errors,
  };
}

/**
 * Jobs of other batches that will end before this one does. Batches of one API key go on side by side. The queue gives keys turns,
 * so all batches of another key together get as much as those of this one. Batches of another priority take no turns with it: those of
 * a higher one come first.
 * @param hasCounted whether the queue has counted the ready jobs of higher priority. Then only those that are not in the queue yet count
 * here.
 */
function aheadOf(batch: BatchOutline, open: readonly Doc<"batches">[], hasCounted: boolean): number {
  const left = leftOf(batch);
  const { isHigh = false } = batch;
  const ofOtherKeys = new Map<Id<"apiKeys">, number>();
  let ofKey = 0;
  let first = 0;
  for (const other of open) {
    if (other._id === batch._id || other.status === "cancelling") continue;
    const { apiKeyId, isHigh: isOtherHigh = false } = other;
    if (isOtherHigh !== isHigh) first += isHigh ? 0 : hasCounted ? uncutOf(other) : leftOf(other);
    else if (apiKeyId === batch.apiKeyId) ofKey += Math.min(left, leftOf(other));
    else ofOtherKeys.set(apiKeyId, (ofOtherKeys.get(apiKeyId) ?? 0) + leftOf(other));
  }
  return [...ofOtherKeys.values()].reduce((sum, most) => sum + Math.min(left + ofKey, most), first + ofKey);
}

/** Jobs of the requests that are not in the queue yet. */
function uncutOf(batch: Doc<"batches">): number {
  return Math.round(Math.max(0, batch.total - batch.cut.requests) * jobsPerRequest(batch));
}

/** Jobs of the requests that have not ended. */
function leftOf(batch: Pick<Doc<"batches">, "total" | "jobs" | "completed" | "failed">): number {
  const { total, completed, failed } = batch;
  return Math.round(Math.max(0, total - completed - failed) * jobsPerRequest(batch));
}

function jobsPerRequest({ total, jobs = total }: Pick<Doc<"batches">, "total" | "jobs">): number {
  return total === 0 ? 1 : jobs / total;
}

/** Each may be of another organization, for which a query reads some 350 rows. */
const forecastAtOnce = 2;

export const forecastPage = v.object({
  forecasts: v.array(v.object({ batchId: v.id("batches"), forecast: v.union(batchForecast, v.null()) })),
  /** Goes on with the other batches; null if there are none. */
  next: v.union(v.string(), v.null()),
});

/** Forecasts the next running batches. A query, because a mutation that read so many batches would conflict with their steps. */
export async function forecastPageOf(
  ctx: QueryCtx,
  cursor: string | null,
  now: number,
): Promise<Infer<typeof forecastPage>> {
  const { page, isDone, continueCursor } = await ctx.db
    .query("batches")
    .withIndex("by_open", (q) => q.eq("open", true))
    .paginate({ numItems: forecastAtOnce, cursor });
  const fleets = new Map<Id<"organizations">, Fleet>();
  const forecasts: Infer<typeof forecastPage>["forecasts"] = [];
  for (const batch of page) {
    if (batch.status !== "in_progress") continue;
    const { organizationId, _id: batchId } = batch;
    const fleet = fleets.get(organizationId) ?? (await fleetOf(ctx, organizationId));
    fleets.set(organizationId, fleet);
    const forecast = forecastIn(fleet, batch, await placeOf(ctx, fleet, batch, now), now);
    forecasts.push({ batchId, forecast: forecast === null ? null : { ...forecast, madeAt: now } });
  }
  return { forecasts, next: isDone ? null : continueCursor };
}

export async function storeForecasts(
  ctx: MutationCtx,
  forecasts: Infer<typeof forecastPage>["forecasts"],
): Promise<void> {
  for (const { batchId, forecast } of forecasts) {
    const batch = await ctx.db.get("batches", batchId);
    if (batch?.open !== true) continue;
    await ctx.db.patch("batches", batchId, { forecast: forecast ?? undefined });
  }
}

/**
 * The forecast of a batch that has not started, and the reason why it may not start. `workHours`: hours of the fleet's devices that
 * each job is expected to take; null if that is not known, or if jobs of higher priority come first.
 */
export const batchOutlook = v.object({
  forecast: v.union(batchForecast, v.null()),
  mistake: v.union(lineMistake, v.null()),
  workHours: v.union(v.number(), v.null()),
});

/** `window`: as it was asked for, such as "24h". */
export async function outlookOf(
  ctx: QueryCtx,
  batch: BatchOutline,
  window: string,
  now: number,
): Promise<Infer<typeof batchOutlook>> {
  const fleet = await fleetOf(ctx, batch.organizationId);
  const place = await placeOf(ctx, fleet, batch, now);
  const facts = factsIn(fleet, batch, place, now);
  const forecast = forecastBatch(facts);
  if (forecast === null) return { forecast: null, mistake: null, workHours: null };
  const { share } = place;
  const work = facts.firstMs > 0 || share === 0 ? null : workBeforeAnswers(facts);
  return {
    forecast: { ...forecast, madeAt: now },
    mistake: isUnreachable(forecast) ? deadlineMistake(forecast, share, window) : null,
    workHours: work === null ? null : work.hours / share,
  };
}

/** A forecast from fewer days refuses no batch. */
const leastDays = 7;
/** A batch is refused only if hardly any future lets it end in its time. */
const leastChance = 0.01;

/** Whether a batch surely ends too late, as far as the past weeks can tell. */
function isUnreachable({ days, onTime }: Forecast): boolean {
  return days >= leastDays && onTime < leastChance;
}

/** Why a batch that cannot end in its time does not start, and what the requester can do. */
function deadlineMistake({ expectedAt }: Forecast, share: number, window: string): Infer<typeof lineMistake> {
  const end =
    expectedAt === null ? "in more than a week" : `on ${new Date(expectedAt).toISOString().slice(0, 16)}Z`;
  const message =
    share === 0
      ? "None of the devices that were online in the past week could answer these requests: they cannot hold the model, do no such jobs, or do not meet the requirements of this API key. Ask your administrator."
      : `With the devices that donated in the past weeks, this batch would end ${end}, long after its window of ${window}. Ask for a longer completion_window, or for fewer requests.`;
  return { line: 0, code: "deadline_unreachable", param: "completion_window", message };
}

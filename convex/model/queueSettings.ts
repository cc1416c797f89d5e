import { type Infer, v } from "convex/values";
import { changesText } from "../../app/audit/changes.ts";
import {
  type OrganizationSetting,
  organizationSettingNames,
  type OrganizationSettings,
  organizationSettings,
} from "../../app/queue-settings.ts";
import type { Id } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { type Act, actorName, record } from "./audit.ts";
import { allOrganizations } from "./organizations/create.ts";
import { type Counted, countedJobs, queueDepthByKey } from "./organizations/queueDepth.ts";
import { queue } from "./queue.ts";
import { boundedInteger, refuse } from "./refuse.ts";

/** Null: the operator's value. */
const value = v.union(v.number(), v.null());

export const settingValues = v.object({
  maxQueued: value,
  maxQueuedPerRequester: value,
  maxCallWaitMs: value,
  maxWaitMs: value,
});

export const settingView = v.object({
  /** What the admin has set; null: nothing. */
  own: value,
  /** The operator's value, which applies without an own one. It is also the highest. */
  operators: v.number(),
});

export const settingViews = v.object({
  maxQueued: settingView,
  maxQueuedPerRequester: settingView,
  maxCallWaitMs: settingView,
  maxWaitMs: settingView,
});

const settingReach = v.object({
  /** Lanes or API keys that have their limit or more, or lanes in which a new job at normal priority would wait longer. */
  beyond: v.number(),
  /** Queued jobs above the limit, of all these together. */
  over: countedJobs,
});

export const settingReaches = v.object({
  maxQueued: settingReach,
  maxQueuedPerRequester: settingReach,
  maxCallWaitMs: settingReach,
  maxWaitMs: settingReach,
});

/** The queue's scope whose settings apply to all organizations that have no own ones. */
const everybody = "";

/** An organization's settings of the queue, beside the operator's. */
export async function viewSettings(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof settingViews>> {
  const [own, operators] = await Promise.all([
    queue.ownSettings(ctx, organizationId),
    queue.settings(ctx, everybody),
  ]);
  const views = organizationSettingNames.map((name) => [
    name,
    { own: own[name] ?? null, operators: operators[name] },
  ]);
  return Object.fromEntries(views) as Infer<typeof settingViews>;
}

/** The jobs that settings would touch now, by the counts of the queue. A setting of null is the operator's. */
export async function reachOfSettings(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  values: OrganizationSettings,
): Promise<Infer<typeof settingReaches>> {
  const [{ lanes, keys }, operators] = await Promise.all([
    queueDepthByKey(ctx, organizationId),
    queue.settings(ctx, everybody),
  ]);
  const limitOf = (name: OrganizationSetting): number => values[name] ?? operators[name];
  const waits = lanes.map((lane) => lane.waits?.[normalPriority] ?? 0);
  return {
    maxQueued: beyondCount(lanes, limitOf("maxQueued")),
    maxQueuedPerRequester: beyondCount(keys, limitOf("maxQueuedPerRequester")),
    maxCallWaitMs: beyondWait(waits, limitOf("maxCallWaitMs")),
    maxWaitMs: beyondWait(waits, limitOf("maxWaitMs")),
  };
}

/** Its place in a lane's expected waits. */
const normalPriority = 1;

type Queued = { readonly ready: Counted; readonly waiting: Counted };

function beyondCount(places: readonly Queued[], limit: number): Infer<typeof settingReach> {
  const full = places.filter(({ ready, waiting }) => ready.count + waiting.count >= limit);
  return {
    beyond: full.length,
    over: {
      count: full.reduce((sum, { ready, waiting }) => sum + ready.count + waiting.count - limit, 0),
      exact: full.every(({ ready, waiting }) => ready.exact && waiting.exact),
    },
  };
}

function beyondWait(waits: readonly number[], limit: number): Infer<typeof settingReach> {
  return { beyond: waits.filter((ms) => ms > limit).length, over: { count: 0, exact: true } };
}

/**
 * Sets an organization's settings of the queue. Others that the operator has set for it stay. Refuses: invalid.
 * @returns the values before, which undo the change.
 */
export async function changeSettings(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  values: OrganizationSettings,
  by: Act,
): Promise<OrganizationSettings> {
  const [own, operators] = await Promise.all([
    queue.ownSettings(ctx, organizationId),
    queue.settings(ctx, everybody),
  ]);
  for (const name of organizationSettingNames) {
    const { words, least, unit } = organizationSettings[name];
    const wanted = values[name];
    // A value that the operator has lowered since, or has set for this organization, may stay.
    if (wanted !== null && wanted !== own[name]) boundedInteger(wanted, words, least * unit, operators[name]);
  }
  const patch = edited(own, values);
  const changes = changesOf(own, patch);
  if (changes !== "") {
    await queue.configure(ctx, organizationId, patch, actorName(by.actor));
    await record(ctx, {
      organizationId,
      ...by,
      action: "queue-settings.changed",
      subject: organizationId,
      detail: changes,
    });
  }
  const before = organizationSettingNames.map((name) => [name, own[name] ?? null]);
  return Object.fromEntries(before) as OrganizationSettings;
}

type Patch = Awaited<ReturnType<typeof queue.ownSettings>>;

/** A setting that the operator's command line can show and change: a number. */
export const operatorSetting = v.object({
  name: v.string(),
  /** The value in use. */
  value: v.number(),
  /** What was set for exactly the chosen organizations; null: nothing. */
  own: value,
});

/** All settings, of one organization or (null) of all that have no own ones. */
export async function listSettings(
  ctx: QueryCtx,
  organizationId: Id<"organizations"> | null,
): Promise<Infer<typeof operatorSetting>[]> {
  const scope = organizationId ?? everybody;
  const [own, inUse] = await Promise.all([queue.ownSettings(ctx, scope), queue.settings(ctx, scope)]);
  const { policy: _ofKinds, ...numbers } = inUse;
  return Object.entries(numbers).map(([name, used]) => ({
    name,
    value: used,
    own: own[name as keyof typeof numbers] ?? null,
  }));
}

/**
 * Changes some settings for the operator, of one organization or (null) of all that have no own ones. A value of null
 * returns a setting to its default. The queue checks the bounds. Refuses: invalid.
 */
export async function setByOperator(
  ctx: MutationCtx,
  organizationId: Id<"organizations"> | null,
  values: Readonly<Record<string, number | null>>,
  now: number,
): Promise<void> {
  const known = await listSettings(ctx, organizationId);
  for (const name of Object.keys(values)) {
    if (known.some((setting) => setting.name === name)) continue;
    refuse(
      "invalid",
      `There is no setting of this name. There are: ${known.map((one) => one.name).join(", ")}.`,
    );
  }
  const scope = organizationId ?? everybody;
  const own = await queue.ownSettings(ctx, scope);
  const patch = edited(own, values);
  const detail = changesOf(own, patch);
  if (detail === "") return;
  await queue.configure(ctx, scope, patch, "operator");
  const organizations =
    organizationId === null ? (await allOrganizations(ctx)).map(({ _id }) => _id) : [organizationId];
  for (const id of organizations) {
    await record(ctx, {
      organizationId: id,
      at: now,
      actor: "setup",
      action: "queue-settings.changed",
      subject: id,
      detail: organizationId === null ? `for all organizations: ${detail}` : detail,
    });
  }
}

/** Null removes a setting. */
function edited(own: Patch, changes: Readonly<Record<string, number | null>>): Patch {
  const all: Readonly<Record<string, Patch[keyof Patch] | null>> = { ...own, ...changes };
  const kept = Object.entries(all).filter(([, wanted]) => wanted !== null);
  return Object.fromEntries(kept);
}

/** "maxQueued: default → 500; …": what differs between two patches. Empty if nothing does. */
function changesOf({ policy: _before, ...before }: Patch, { policy: _after, ...after }: Patch): string {
  const names = Object.keys({ ...before, ...after }).sort() as (keyof typeof before)[];
  return changesText(names.map((name) => [name, before[name] ?? "default", after[name] ?? "default"]));
}

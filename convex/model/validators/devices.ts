import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { type DeviceLimits, limitableKinds } from "../../../app/devices/limits.ts";
import { type FailureCause, failureCauses } from "../../../app/devices/reliability.ts";
import { modelStates } from "../../../app/models/states.ts";
import type { DonateReason } from "../../../app/policy/declare/activity.ts";
import { donateReasons, type StandbyReason, standbyReasons } from "../../../app/policy/reasons.ts";
import type { Same } from "./same.ts";

/** The limits that an organization sets for a device. A missing field allows everything that the device offers. */
export const deviceLimits = v.object({
  kinds: v.optional(v.array(literals(...limitableKinds))),
  contextTokens: v.optional(v.number()),
  models: v.optional(v.array(v.string())),
  gpu: v.optional(v.boolean()),
  memoryMb: v.optional(v.number()),
  maxConcurrentJobs: v.optional(v.number()),
});
true satisfies Same<Infer<typeof deviceLimits>, DeviceLimits>;

const standbyReason = literals(...(Object.keys(standbyReasons) as StandbyReason[]));

const donateReason = literals(...(Object.keys(donateReasons) as DonateReason[]));

export const activity = v.union(
  v.object({ kind: v.literal("donating"), reason: donateReason }),
  v.object({ kind: v.literal("holding"), reason: standbyReason }),
);

/** A pending device waits until an admin approves it. */
export const deviceStatus = literals("pending", "active", "retired");

/** A device as it sees itself. `paused`: it failed too often. `outdated`: its version is too old. */
export const serviceStatus = literals("pending", "active", "paused", "outdated", "retired");

/** When a device was paused because it failed too often, and how often. */
export const devicePause = v.object({
  at: v.number(),
  failed: v.number(),
  of: v.number(),
  cause: literals(...(Object.keys(failureCauses) as FailureCause[])),
});

/** A pause that a person asked for in the console. */
export const requestedPause = v.object({
  at: v.number(),
  /** Null: until somebody ends it. ms epoch. */
  until: v.union(v.number(), v.null()),
  /** Who asked, as model/audit.ts names actors. */
  by: v.string(),
  /** Whether somebody asked who may pause any device. Then its owner cannot end it. */
  ofOrganization: v.boolean(),
  /** Whether its running jobs still finish. The device is not told of the pause before that. */
  finishing: v.boolean(),
});

/** The version that the organization asks a device to update to, and when it asked. */
export const askedVersion = v.object({ version: v.string(), at: v.number() });

/** One measured hour of a device's donation; see app/comfort/hour.ts, which has its bounds. */
export const comfortHour = v.object({
  startAt: v.number(),
  donatedSeconds: v.number(),
  yieldP95Ms: v.union(v.number(), v.null()),
  workingDelayMs: v.union(v.number(), v.null()),
  restingDelayMs: v.union(v.number(), v.null()),
  hotSeconds: v.union(v.number(), v.null()),
  batteryPercent: v.union(v.number(), v.null()),
  mayUseBattery: v.boolean(),
  donatingFanRpm: v.union(v.number(), v.null()),
  restingFanRpm: v.union(v.number(), v.null()),
  step: v.number(),
});

/** Numbers of hours by the promises that they broke. */
export const comfortParts = v.object({
  yields: v.number(),
  delay: v.number(),
  heat: v.number(),
  battery: v.number(),
});

/** The comfort of a fleet in a time, counted. */
export const comfortCounts = v.object({
  hours: v.number(),
  keptHours: v.number(),
  broken: comfortParts,
  /** At most 400. */
  worst: v.array(v.object({ deviceId: v.string(), brokenHours: v.number(), broken: comfortParts })),
});

/** A model on a device, as the device reports it. */
export const deviceModel = v.object({
  modelId: v.string(),
  state: literals(...modelStates),
  downloadedBytes: v.optional(v.number()),
  /** Why it waits. */
  why: v.optional(v.string()),
  /** Tokens per second, measured on the device. */
  speed: v.optional(
    v.object({
      prefill: v.number(),
      generate: v.number(),
      /** For example "cpu" or "cuda". */
      backend: v.string(),
    }),
  ),
});

export type DeviceModel = Infer<typeof deviceModel>;

/**
 * Rules by name: the values that are set, and the rules that a donor cannot change. There is no validator per rule,
 * because a stored policy must outlive the versions that know its rules. model/policies/ checks them when they are saved.
 */
export const policyRules = v.object({
  values: v.record(v.string(), v.any()),
  locked: v.array(v.string()),
});

/** A device's answer to a draft of rules: whole minutes and counts, nothing else (app/policy/replay/totals.ts). */
export const deviceTotals = v.object({
  recorded: v.number(),
  happened: v.number(),
  now: v.number(),
  draft: v.number(),
  nowSpans: v.number(),
  draftSpans: v.number(),
  unsure: v.number(),
});

/** Such answers, added up. */
export const previewSums = v.object({
  ...deviceTotals.fields,
  devices: v.number(),
  withoutRecord: v.number(),
  nowNever: v.number(),
  draftNever: v.number(),
});

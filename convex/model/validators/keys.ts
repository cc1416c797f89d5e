import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { lookers } from "../../../app/keys/data-classes.ts";
import type { Restriction, RunnerStop } from "../../../app/keys/restriction.ts";
import { keyScopes } from "../../../app/keys/scopes.ts";
import type { Same } from "./same.ts";

/** A stop of a device's runner by a request. */
export const runnerStop = v.object({
  at: v.number(),
  deviceId: v.string(),
  jobId: v.string(),
  constrained: v.boolean(),
});
true satisfies Same<Infer<typeof runnerStop>, RunnerStop>;

/** Which requests of an API key are refused, until when (ms epoch). */
export const restriction = v.object({ of: literals("constrained", "checked", "all"), until: v.number() });
true satisfies Same<Infer<typeof restriction>, Restriction>;

/** The rules for a class of data: app/keys/data-classes.ts. */
export const dataClassRule = v.object({
  name: v.string(),
  groups: v.array(v.string()),
  keptHours: v.number(),
  lookers: literals(...lookers),
});

/** Requirements that a device must meet to get a job. */
export const deviceNeeds = v.object({
  groups: v.optional(v.array(v.string())),
  tags: v.optional(v.array(v.string())),
  gpu: v.optional(v.boolean()),
  memoryGb: v.optional(v.number()),
  vramGb: v.optional(v.number()),
  dataClass: v.optional(v.string()),
});

/** A kind of calls that a key may be allowed to make. */
export const keyScope = literals(...keyScopes);

const keyQuota = v.object({
  requests: v.optional(v.number()),
  tokens: v.optional(v.number()),
  micro: v.optional(v.int64()),
});

/** The most that a key may use in a day and in a month (UTC). */
export const keyQuotas = v.object({ day: v.optional(keyQuota), month: v.optional(keyQuota) });

/** Requests, tokens and micro-credits of a key. */
export const keyCount = v.object({ requests: v.number(), tokens: v.number(), micro: v.int64() });

/** The use of a key on the present day and in the present month. */
export const keyUse = v.object({ day: keyCount, month: keyCount });

/** The former secret of a key that was rotated. It works until its end. */
export const formerSecret = v.object({ keyHash: v.string(), prefix: v.string(), until: v.number() });

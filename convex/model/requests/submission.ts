import { priority } from "@gleaner/queue/validators";
import { type Infer, type ObjectType, v } from "convex/values";
import { deviceNeeds, keyUse } from "../validators/keys.ts";
import { callForm, work } from "../validators/requests.ts";
import { callRequest } from "./leftCalls.ts";

/** Arguments of a submission. */
export const submission = {
  model: v.string(),
  /** The alias by which the request named the model. */
  alias: v.optional(v.string()),
  work,
  /** The form in which its call answers. Absent: the usual one of the job's kind. */
  callForm: v.optional(callForm),
  /** The fields of a response's request that `work` does not have, as `keptEcho` in app/jobs/ returns them. */
  echo: v.optional(v.string()),
  /** Whether the text is stored in chunks as it comes, for a watcher. */
  stream: v.boolean(),
  priority: v.optional(priority),
  idempotencyKey: v.optional(v.string()),
  /** Whether the job ends with the call, because nobody could find its answer without an idempotency key of their own. */
  endsWithCall: v.optional(v.boolean()),
  /** When the job expires if it has not ended: milliseconds from now. Within `jobTimes`, which has the default. */
  expiresInMs: v.optional(v.number()),
  /** Its requirements on devices, in addition to those of its key. Only for keys whose requests may have some. */
  requires: v.optional(deviceNeeds),
  /**
   * Its place among the jobs of its call, from 0, and a hash of what the whole call asks. Absent: it is the only one. `of`: the
   * first job of the call, by which this one is found again. Absent in the first one.
   */
  part: v.optional(v.object({ index: v.number(), callHash: v.string(), of: v.optional(v.string()) })),
  /** The use of its key, as a query has just counted it. Only for keys with quotas. */
  use: v.optional(keyUse),
  /** Whether its caller waits for the answer. It is refused if no device could give one. */
  isAwaited: v.optional(v.boolean()),
  /** The request of a requester who has no other way to find a job that it gave up. */
  request: v.optional(callRequest),
  /** Whether the jobs of its call go to different devices. */
  apart: v.optional(v.boolean()),
  /** Whether only a device that has nothing else to do may get it, at once. Without one it is refused. */
  idleOnly: v.optional(v.boolean()),
  /** Whether the queue may hand the job to a waiting device. This saves a call, but may conflict. Then submit without it. */
  handOver: v.optional(v.boolean()),
  /** Its caller submits it again if it gives way to others: model/ledger/portions.ts. Absent: it cannot give way. */
  turn: v.optional(v.object({ shards: v.record(v.string(), v.number()), gathers: v.boolean() })),
};

export type Submission = ObjectType<typeof submission>;

/**
 * A submitted job. `pricePercent`: what it costs because of its `priority`, in percent of the model's price. `modelId` and
 * `sha256`: the model that does it. A repeated request gets its first job, though its alias may stand for another model now.
 */
export const submitted = v.object({
  jobId: v.string(),
  pricePercent: v.number(),
  priority,
  modelId: v.string(),
  sha256: v.string(),
  /** Whether the job was there before. */
  repeated: v.boolean(),
  /** The count of the call that waits, if it got the job of another call. */
  waitId: v.optional(v.id("waits")),
  /** Its call, if that is answered later and is several jobs. */
  call: v.optional(v.id("calls")),
});
export type Submitted = Infer<typeof submitted>;

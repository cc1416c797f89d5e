import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { batchEndpointNames, batchStatuses } from "../../../app/batches/limits.ts";
import { foundWrong } from "./answers.ts";

export const batchEndpoint = literals(...batchEndpointNames);

export const batchStatus = literals(...batchStatuses);

/** A `Forecast` of app/forecast/, and the time at which it was made; ms epoch. */
export const batchForecast = v.object({
  expectedAt: v.union(v.number(), v.null()),
  latestAt: v.union(v.number(), v.null()),
  onTime: v.number(),
  days: v.number(),
  madeAt: v.number(),
});

/** As `CapacityHour` of app/forecast/. */
export const capacityHour = v.object({
  startAt: v.number(),
  samples: v.number(),
  devices: v.number(),
  busyDevices: v.number(),
  busyJobs: v.number(),
});

/** For what the next requests of a batch wait before they become jobs: credits or a quota of its key, or room in the queue. */
export const cutWait = literals("credits", "quota", "budget", "queue");

/** A mistake that kept a batch from starting. `line`: from 1; 0: of the whole file. */
export const lineMistake = v.object({
  line: v.number(),
  code: v.string(),
  message: v.string(),
  param: v.union(v.string(), v.null()),
});

/** Why a request of a batch has no answer. */
export const lineFailure = v.union(
  /** The error that its call would have got. */
  v.object({
    kind: v.literal("error"),
    status: v.number(),
    type: v.string(),
    code: v.string(),
    message: v.string(),
    param: v.union(v.string(), v.null()),
  }),
  v.object({ kind: v.literal("refused"), code: v.string(), message: v.string() }),
  /** Its job ended so. */
  v.object({
    kind: v.literal("ended"),
    status: literals("failed", "canceled", "expired"),
    error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
  }),
  /** The batch ended before its turn. */
  v.object({ kind: v.literal("dropped"), why: literals("batch_expired", "batch_cancelled") }),
);

/** The place of a job in its batch. `base64`: its vectors are wanted so. */
export const batchLine = v.object({
  batchId: v.id("batches"),
  line: v.number(),
  customId: v.string(),
  base64: v.optional(v.literal(true)),
  /** Of a line with several jobs. */
  several: v.optional(v.id("batchLines")),
  /** Of a job of such a line: the index of its choice, or of its first vector, in the answer. */
  index: v.optional(v.number()),
});

/** A line of a batch whose answer checks found wrong, with what became of its request. */
export const wrongLine = v.object({
  customId: v.string(),
  jobId: v.string(),
  index: batchLine.fields.index,
  correctedBy: foundWrong.fields.correctedBy,
  notCorrected: foundWrong.fields.notCorrected,
  postponedFor: foundWrong.fields.postponedFor,
  postponed: foundWrong.fields.postponed,
});

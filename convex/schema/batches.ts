import { defineTable } from "convex/server";
import { v } from "convex/values";
import { usage } from "../model/validators/answers.ts";
import {
  batchEndpoint,
  batchForecast,
  batchStatus,
  capacityHour,
  cutWait,
  lineFailure,
  lineMistake,
  wrongLine,
} from "../model/validators/batches.ts";
import { filePart, filePurpose, uploadStatus } from "../model/validators/files.ts";
import { deviceNeeds } from "../model/validators/keys.ts";

/** Files, and the batches of requests in them. */
export const batchTables = {
  /** A requester's file: the requests of a batch, or its answers so far. Written by model/files/files.ts. */
  files: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    name: v.string(),
    purpose: filePurpose,
    bytes: v.number(),
    parts: v.array(filePart),
    createdAt: v.number(),
    /** Its end. While a batch reads or writes it, it is later than that of the batch. */
    expiresAt: v.number(),
    /** The shortest `keptHours` of the batches that read it. Absent: none of them has one. */
    keptHours: v.optional(v.number()),
  })
    .index("by_key", ["apiKeyId"])
    .index("by_end", ["expiresAt"]),

  /** A file that comes in parts, for an hour. Written by model/files/uploads.ts. Times are ms epoch. */
  uploads: defineTable({
    apiKeyId: v.id("apiKeys"),
    name: v.string(),
    /** Of the whole file, as announced. */
    bytes: v.number(),
    keptSeconds: v.optional(v.number()),
    status: uploadStatus,
    createdAt: v.number(),
    expiresAt: v.number(),
    /** Once it is completed. */
    fileId: v.optional(v.id("files")),
  })
    .index("by_key", ["apiKeyId", "status"])
    .index("by_end", ["expiresAt"]),

  /** A part of an upload that is not completed: its first piece, and those behind it. */
  uploadParts: defineTable({
    uploadId: v.id("uploads"),
    ...filePart.fields,
    more: v.optional(v.array(filePart)),
  }).index("by_upload", ["uploadId"]),

  /** A batch of requests. Written by model/batches/. Times are ms epoch. */
  batches: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    inputFileId: v.id("files"),
    endpoint: batchEndpoint,
    /** As it was asked for, such as "24h". */
    window: v.string(),
    /** As JSON, since Convex does not accept any text as a name. */
    metadata: v.union(v.string(), v.null()),
    /** Requirements of its jobs on devices, in addition to those of the key. Absent: none. */
    requires: v.optional(deviceNeeds),
    /** How long its files are kept from their creation. Absent: for 30 days after its window. */
    outputKeptMs: v.optional(v.number()),
    /** How long its files are kept after its end, by the rules of its data class when it was made. Absent: it has no class. */
    keptHours: v.optional(v.number()),
    /** Of the key and its idempotency key, by which a repeated call finds the batch. */
    idempotencyHash: v.optional(v.string()),
    status: batchStatus,
    /** Absent once it has ended. */
    open: v.optional(v.literal(true)),
    createdAt: v.number(),
    expiresAt: v.number(),
    startedAt: v.optional(v.number()),
    cancelingAt: v.optional(v.number()),
    endedAt: v.optional(v.number()),
    /** The queue's batch, which has its jobs. Absent until its first requests are submitted. */
    queueBatchId: v.optional(v.string()),
    /** Requests in the file. 0 before it was checked. */
    total: v.number(),
    /** The jobs that they are. Absent: as many. */
    jobs: v.optional(v.number()),
    /** Jobs beyond the first of each request that is submitted, and whose end is in no file yet. Absent: none. */
    furtherJobs: v.optional(v.number()),
    /** How far the file is cut into jobs. `lines`: with the blank ones. */
    cut: v.object({ bytes: v.number(), lines: v.number(), requests: v.number() }),
    isCut: v.boolean(),
    /** When somebody last went on to cut it, or will. */
    cutAt: v.number(),
    /** Why the last step could not go on. Absent if it could. */
    cutWaitsFor: v.optional(cutWait),
    /** When ends of its requests were last collected. */
    collectedAt: v.number(),
    /** Requests that ended, and whose answers or errors are in the files. */
    completed: v.number(),
    failed: v.number(),
    /** Of the failed ones: those that the batch's end cut off. */
    expired: v.number(),
    usage,
    priceMicro: v.int64(),
    outputFileId: v.optional(v.id("files")),
    errorFileId: v.optional(v.id("files")),
    /** Why it did not start. */
    mistakes: v.array(lineMistake),
    /** The model of most of its requests. Absent: not known, and in batches of earlier versions. */
    model: v.optional(v.string()),
    /** Most of its requests have the high priority. Absent: most have the low one, also in batches of earlier versions. */
    isHigh: v.optional(v.literal(true)),
    /** Lines whose answers checks found wrong, at most 100, and how many they are. Written by model/batches/wrongLines.ts. */
    wrongLines: v.optional(v.array(wrongLine)),
    wrongCount: v.optional(v.number()),
    /** Its forecast of the last minute. Absent: none could be made. Written by model/batches/forecast.ts. */
    forecast: v.optional(batchForecast),
    /** Hours of the fleet's devices that each job was expected to take, before the batch began. Absent: not known. */
    workHours: v.optional(v.number()),
    /** The error of that expectation once the batch has ended, as a logarithm. Absent: not known. Written by model/batches/work.ts. */
    workError: v.optional(v.number()),
  })
    .index("by_key", ["apiKeyId"])
    .index("by_organization", ["organizationId", "status"])
    .index("by_creation", ["organizationId", "createdAt"])
    .index("by_idempotency", ["idempotencyHash"])
    .index("by_input", ["inputFileId", "open"])
    .index("by_open", ["open", "apiKeyId"]),

  /** The end of a batch's request that is in no file yet. Written by the end of its job, deleted by model/batches/collect.ts. */
  batchEnds: defineTable({
    batchId: v.id("batches"),
    line: v.number(),
    customId: v.string(),
    /** Absent: it never had a job. Of several jobs: the first one. */
    jobId: v.optional(v.string()),
    /** Only of several jobs, in the order of the answer. */
    jobIds: v.optional(v.array(v.string())),
    /** Absent: all its jobs have answers. */
    failure: v.optional(lineFailure),
  }).index("by_batch", ["batchId"]),

  /** A batch's request that is several jobs, until all of them have ended. Written by model/batches/severalJobs.ts. */
  batchLines: defineTable({
    batchId: v.id("batches"),
    line: v.number(),
    customId: v.string(),
    jobIds: v.array(v.string()),
    /** How many of them have not ended. */
    open: v.number(),
    /** That of the first one that failed. */
    failure: v.optional(lineFailure),
  }),

  /** Whether a batch's ends are about to be collected. Each end reads it, so it changes seldom. */
  batchCollections: defineTable({ batchId: v.id("batches"), scheduled: v.boolean() }).index("by_batch", [
    "batchId",
  ]),

  /**
   * The donating devices of an organization hour by hour on one day (UTC), from which batches are forecast. Written once a minute
   * by model/batches/forecast.ts, and kept for six weeks.
   */
  capacityDays: defineTable({
    organizationId: v.id("organizations"),
    startAt: v.number(),
    hours: v.array(capacityHour),
  }).index("by_organization", ["organizationId", "startAt"]),
};

import { defineTable } from "convex/server";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { canaryState, caseState, endedJob, standing, voice } from "../model/trust/validators.ts";

/** Checks of answers, and the standing of devices. */
export const trustTables = {
  /** How devices stand with models. Written by model/trust/standings.ts, in the background of jobs. */
  standings: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    modelId: v.string(),
    standing,
    /** The sum of the shares of its jobs since its last replay: app/trust/replay-chance.ts. */
    owed: v.number(),
    /** Replays of its answers that wait or run. */
    waiting: v.number(),
    /** Nobody could check its last answer that was to be checked: no other device has the model, or the answer shows nothing of it. */
    unchecked: v.optional(v.boolean()),
    /**
     * Its last answer in a format was odd, of those that tell something. Only devices with other grammars said so, so a canary has to tell.
     * False: others found one right. Absent: only devices with the same old grammars read any, or a canary ended the doubt.
     */
    oddFormat: v.optional(v.boolean()),
    /** When it got its last canary. Absent: never. */
    canaryAt: v.optional(v.number()),
  }).index("by_device", ["deviceId", "modelId"]),

  /**
   * Until when the pay of a device with a model is not held, ms epoch: 0 while it is. It follows from the standing, which each job changes,
   * while the end of each job reads this row. Written by model/trust/standings.ts.
   */
  probations: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    modelId: v.string(),
    from: v.number(),
  }).index("by_device", ["deviceId", "modelId"]),

  /** A request that the organization asks of two devices, to test one of them. Kept for 90 days. Written by model/trust/canaries/. */
  canaries: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    /** The devices that were meant to answer: the tested one, one to compare with, and a third one if these cannot tell. */
    deviceIds: v.array(v.id("devices")),
    /** Their jobs, in the same order. */
    jobIds: v.array(v.string()),
    state: canaryState,
  }).index("by_organization", ["organizationId"]),

  /** A job that replays an answer on another device. Kept for 90 days. Written by model/trust/. */
  replays: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    /** The job whose answer it is, and its device. */
    of: v.string(),
    deviceId: v.id("devices"),
    modelId: v.string(),
    /** The file of the model. */
    sha256: v.string(),
    /** The kind of computer that gave the answer. */
    deviceClass: v.optional(v.string()),
    /** A bound of the compared tokens: the bytes of a text, or what its vectors count as. */
    answerBytes: v.number(),
    /** Of a text: a bound of its tokens that a reader does not count. Absent: reported tokens are not compared. */
    unseenTokens: v.optional(v.number()),
    /** The case for which it was asked. Absent: it is the first of the answer. */
    caseId: v.optional(v.id("trustCases")),
    /** `undone`: it was not done in time, failed, or its report was not heard. */
    state: literals("waiting", "done", "undone"),
    /** Reports in place of which it was asked, as they were not heard. Absent: none. */
    unheard: v.optional(v.number()),
    /** Its result. Absent before. */
    voice: v.optional(voice),
  })
    .index("by_job", ["jobId"])
    .index("by_device", ["deviceId"])
    .index("by_organization", ["organizationId"])
    .index("by_state", ["state"]),

  /** A doubted answer: app/trust/case.ts. Kept for 400 days. Written by model/trust/cases.ts. */
  trustCases: defineTable({
    organizationId: v.id("organizations"),
    /** The job of the answer, and its device. */
    jobId: v.string(),
    deviceId: v.id("devices"),
    modelId: v.string(),
    /** Whether the answer fits by itself, and all answers of the device together are odd. */
    isSeries: v.boolean(),
    /** The devices that replayed it, in their order. */
    voices: v.array(voice),
    state: caseState,
    closedAt: v.optional(v.number()),
    /** Its end took this from the device: the price of the answer that was paid already. */
    takenMicro: v.optional(v.int64()),
  })
    .index("by_organization", ["organizationId"])
    .index("by_device", ["deviceId"]),

  /** The regrets and misses of honest answers in a class of computers: app/trust/honest-replays.ts. Written by model/trust/limits.ts. */
  honestReplays: defineTable({
    organizationId: v.id("organizations"),
    class: v.string(),
    regrets: v.array(v.number()),
    /** Missing in rows of earlier versions, which kept the regrets only. */
    missShares: v.optional(v.array(v.number())),
  }).index("by_class", ["organizationId", "class"]),

  /** The work of answers and of replays, of which older work counts less. Written by model/trust/spending.ts. */
  checkSpending: defineTable({
    organizationId: v.id("organizations"),
    answers: v.number(),
    /** Micro-credits. */
    micro: v.number(),
    answerMs: v.number(),
    replayMs: v.number(),
    at: v.number(),
    /** When somebody last looked for a device that needs a canary. */
    canaryAt: v.optional(v.number()),
    /** The next step of the run that goes through `checkBatches`. Absent: none goes on. */
    choosing: v.optional(v.id("_scheduled_functions")),
  }).index("by_organization", ["organizationId"]),

  /** Ended jobs whose checks are not chosen yet. Written by model/statistics/seal.ts, and deleted by model/trust/sample.ts. */
  checkBatches: defineTable({ organizationId: v.id("organizations"), jobs: v.array(endedJob) }).index(
    "by_organization",
    ["organizationId"],
  ),
};

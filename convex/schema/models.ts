import { defineTable } from "convex/server";
import { v } from "convex/values";
import {
  inspectionOutcome,
  rolloutDeviceState,
  rolloutPace,
  rolloutPlace,
  rolloutStage,
  rolloutState,
  stageCounts,
} from "../model/validators/models.ts";
import { price, pricedFrom, priceFactors } from "../model/validators/prices.ts";

/** The catalog: models, prices, aliases and roll-outs. */
export const modelTables = {
  /** An organization's catalog and price list. Written by setup and console/models. */
  models: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    sha256: v.string(),
    sizeBytes: v.number(),
    contextTokens: v.number(),
    /** "bundled" with the program, or a URL. */
    source: v.string(),
    licence: v.optional(v.string()),
    template: v.optional(v.string()),
    /** The number of hashes in `modelPieces`. */
    pieceCount: v.optional(v.number()),
    /** The hash of those hashes, which the catalog's signature covers. */
    piecesHash: v.optional(v.string()),
    price,
    /** The valid price, and those that will be. Absent: `price`. Written by model/models/priceVersions.ts. */
    priceSchedule: v.optional(v.array(pricedFrom)),
    /** False once it is retired. */
    enabled: v.boolean(),
    createdAt: v.number(),
  }).index("by_organization_model", ["organizationId", "modelId"]),

  /** Each price that an organization has set: of one model, or the percents of all. Written by model/models/priceVersions.ts. */
  priceVersions: defineTable({
    organizationId: v.id("organizations"),
    /** From 1, for all prices of the organization. */
    version: v.number(),
    modelId: v.optional(v.string()),
    price: v.optional(price),
    factors: v.optional(priceFactors),
    /** It begins at `from`, and was made at `at`; ms epoch. */
    from: v.number(),
    at: v.number(),
    /** The actor, as the queue stores one. */
    by: v.string(),
    why: v.optional(v.string()),
    /** Only of a version that never began. */
    canceledAt: v.optional(v.number()),
    canceledBy: v.optional(v.string()),
  }).index("by_organization", ["organizationId", "version"]),

  /** Names that stand for models of the catalog. Written by console/aliases. */
  modelAliases: defineTable({
    organizationId: v.id("organizations"),
    alias: v.string(),
    modelId: v.string(),
    createdAt: v.number(),
  }).index("by_alias", ["organizationId", "alias"]),

  /** The keys whose requests named an alias. Written by requests.submit, once an hour per key. */
  aliasUses: defineTable({
    organizationId: v.id("organizations"),
    alias: v.string(),
    apiKeyId: v.id("apiKeys"),
    usedAt: v.number(),
  })
    .index("by_key", ["organizationId", "alias", "apiKeyId"])
    .index("by_time", ["organizationId", "alias", "usedAt"]),

  /** The signature of an organization's catalog. Written by setup and console/models, through model/models/signCatalog.ts. */
  catalogSignatures: defineTable({
    organizationId: v.id("organizations"),
    /** The organization's public key of Ed25519, in base64url. The private one is in no table. */
    publicKey: v.string(),
    /** Grows with each change. */
    version: v.number(),
    signature: v.string(),
    /** Earlier keys, each with its signature of the next one. */
    handovers: v.array(v.object({ from: v.string(), to: v.string(), signature: v.string() })),
  }).index("by_organization", ["organizationId"]),

  /**
   * A file that a member wants to add as a model, and the facts that the backend read from it. One row per member. Written by
   * model/models/inspection.ts.
   */
  modelInspections: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    /** As the member typed it. */
    link: v.string(),
    /** Absent while the file is being read. */
    outcome: v.optional(inspectionOutcome),
  }).index("by_member", ["memberId"]),

  /** The hashes of a model's pieces: kilobytes that only downloads read. Written with the model. */
  modelPieces: defineTable({
    organizationId: v.id("organizations"),
    sha256: v.string(),
    pieceBytes: v.number(),
    pieceHashes: v.array(v.string()),
  }).index("by_organization_hash", ["organizationId", "sha256"]),

  /** The length of a model's vectors. It counts once two devices agree on it. Written by work.complete, seldom. */
  vectorLengths: defineTable({
    organizationId: v.id("organizations"),
    sha256: v.string(),
    length: v.number(),
    /** The device that sent vectors of this length first. */
    deviceId: v.id("devices"),
    agreed: v.boolean(),
  }).index("by_organization_hash", ["organizationId", "sha256"]),

  /**
   * The staged roll-out of a model: one row per model, of its last roll-out. Each device watches the open ones, so a row
   * changes only when another device may have the model. This and the next two are written by model/rollouts/.
   */
  modelRollouts: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    /** The model was added with it, so no device had the file. */
    isNew: v.boolean(),
    state: rolloutState,
    /** Until they are planned, only their sizes are right. */
    stages: v.array(rolloutStage),
    /** From 0. */
    stage: v.number(),
    stageAt: v.number(),
    pace: rolloutPace,
    /** False once it is done. */
    isOpen: v.boolean(),
    /** Why it stopped by itself. */
    why: v.optional(v.string()),
    /** Before the last act of a person, as long as it can be undone. */
    previous: v.optional(rolloutPlace),
    /** Failed devices that a person has accepted by continuing. */
    accepted: v.number(),
    startedAt: v.number(),
  })
    .index("by_model", ["organizationId", "modelId"])
    .index("by_open", ["organizationId", "isOpen"])
    .index("by_any_open", ["isOpen"]),

  /** The devices of a roll-out, added up by stage. Earlier stages are not part of later ones. Brought up to date every 10 s. */
  modelRolloutCounts: defineTable({
    organizationId: v.id("organizations"),
    rolloutId: v.id("modelRollouts"),
    byStage: v.array(stageCounts),
    /** Failed devices by reason. */
    reasons: v.array(v.object({ why: v.string(), devices: v.number() })),
    countedAt: v.number(),
  }).index("by_rollout", ["rolloutId"]),

  /** A device that told of the model during its roll-out. Changes only when the model's state on the device does. */
  modelRolloutDevices: defineTable({
    organizationId: v.id("organizations"),
    rolloutId: v.id("modelRollouts"),
    deviceId: v.id("devices"),
    rank: v.number(),
    state: rolloutDeviceState,
    why: v.optional(v.string()),
    /** It has downloaded a part of the model, or all of it. */
    begun: v.boolean(),
    /** It had done so before the roll-out. */
    had: v.boolean(),
    failedJobs: v.number(),
    /** Whether it changed since it was counted. */
    recount: v.boolean(),
    /** The stage and the state under which it is counted now. */
    counted: v.optional(
      v.object({ stage: v.number(), state: rolloutDeviceState, why: v.optional(v.string()) }),
    ),
  })
    .index("by_device", ["rolloutId", "deviceId"])
    .index("by_recount", ["rolloutId", "recount"])
    .index("by_state", ["rolloutId", "state"]),
};

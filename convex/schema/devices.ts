import { defineTable } from "convex/server";
import { v } from "convex/values";
import {
  activity,
  askedVersion,
  comfortCounts,
  comfortHour,
  deviceLimits,
  deviceModel,
  devicePause,
  deviceStatus,
  requestedPause,
} from "../model/validators/devices.ts";
import { placedBy } from "../model/validators/fleet.ts";
import { owner } from "../model/validators/people.ts";

/** Devices, and what they report about themselves. */
export const deviceTables = {
  /** Written by setup, the admin's code calls, and devices.enroll (`used`). */
  enrolmentCodes: defineTable({
    organizationId: v.id("organizations"),
    codeHash: v.string(),
    label: v.string(),
    uses: v.number(),
    used: v.number(),
    createdAt: v.number(),
    expiresAt: v.number(),
    revokedAt: v.optional(v.number()),
    /** To whom its devices belong. Absent: the organization. */
    owner: v.optional(owner),
    /** Its devices wait until an admin approves them. */
    needsApproval: v.optional(v.boolean()),
    /** A member confirmed a computer that made this code itself. It is not among the codes that people make. */
    bySignIn: v.optional(v.literal(true)),
  })
    .index("by_hash", ["codeHash"])
    .index("by_organization", ["organizationId", "bySignIn"])
    .index("by_owner", ["owner", "revokedAt"])
    .index("by_end", ["expiresAt"]),

  /**
   * A device as its organization knows it. The queue's worker has its capabilities, whether it is online, its groups and
   * data classes. Seldom written: by devices.enroll, devices.registerSigningKey, devices.report, console/devices
   * (status, limits), console/devices.label.
   */
  devices: defineTable({
    organizationId: v.id("organizations"),
    /** The queue's worker. Its `externalId` is this row's id. */
    workerId: v.string(),
    keyHash: v.string(),
    /** Its public key of Ed25519, in base64url. It never changes. Without one the device gets no jobs. */
    signingKey: v.optional(v.string()),
    name: v.string(),
    platform: v.string(),
    status: deviceStatus,
    activity: v.union(activity, v.null()),
    /** Names of facts that it does not know about its computer. */
    unknownFacts: v.optional(v.array(v.string())),
    /** A copy of the worker's groups: every device watches `me`, and the worker's row changes more often. */
    groups: v.optional(v.array(v.string())),
    /** Absent: nobody put it anywhere. Written by model/fleet/placement.ts. */
    placedBy: v.optional(placedBy),
    /** The organization's limits for it. The queue's worker has a copy. Absent if it has none. */
    limits: v.optional(deviceLimits),
    enrolledAt: v.number(),
    /** The member or team to whom it belongs. Absent: the organization. */
    owner: v.optional(owner),
    /**
     * Those who had it before and handed it over by themselves, so that they may still have the computer: docs/trust.md. Absent: nobody,
     * or an administrator has decided whose it is. Written by model/people/handOver.ts.
     */
    givers: v.optional(v.array(owner)),
    /** The code that admitted it. */
    codeId: v.optional(v.id("enrolmentCodes")),
    /** The IP address from which it enrolled, if the backend knew it. */
    enrolledFrom: v.optional(v.string()),
    lastChangeAt: v.number(),
    /** When its person took it out of the organization. Its key was removed there, so it cannot come back. */
    leftAt: v.optional(v.number()),
    /** Set while the device is paused because it failed too often. Written by model/devices/service.ts. */
    pause: v.optional(devicePause),
    /** Set while a person keeps it paused. Written by model/devices/pauses.ts. */
    requestedPause: v.optional(requestedPause),
    /** Attempts that began before an admin's resumption do not count against it. */
    judgedFrom: v.optional(v.number()),
    /** The version that it would need to get jobs. Absent if its version is new enough. */
    needsVersion: v.optional(v.string()),
    /** Set until it has the version that it was asked to update to. It gets jobs meanwhile. */
    askedVersion: v.optional(askedVersion),
    /** A version of its program that did not work there, as it reports it. It counts while the program is older. */
    rolledBackVersion: v.optional(v.string()),
  })
    .index("by_hash", ["keyHash"])
    .index("by_organization", ["organizationId", "status"])
    .index("by_code", ["codeId", "status"])
    .index("by_owner", ["owner", "status"]),

  /** The state of all models on a device. Written by devices.reportModels, seldom. */
  deviceModels: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    models: v.array(deviceModel),
    reportedAt: v.number(),
  })
    .index("by_device", ["deviceId"])
    .index("by_organization", ["organizationId"]),

  /** The measured hours of devices, kept for eight days. Written by devices.reportComfort: once an hour of donation. */
  comfortHours: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    ...comfortHour.fields,
    /** Only in rows of earlier versions. */
    yields: v.optional(v.number()),
  })
    .index("by_device", ["deviceId", "startAt"])
    .index("by_organization", ["organizationId"]),

  /** The comfort of all devices on one day (UTC), kept for 35 days. This and the next are written once a minute by model/comfort/. */
  comfortDays: defineTable({
    organizationId: v.id("organizations"),
    startAt: v.number(),
    counts: comfortCounts,
  }).index("by_organization", ["organizationId", "startAt"]),

  /** How far the measured hours of an organization's devices are counted: up to this creation time. */
  comfortProgress: defineTable({
    organizationId: v.id("organizations"),
    countedTo: v.number(),
  }).index("by_organization", ["organizationId"]),

  /**
   * The secret by which devices of one office recognize each other. Devices need the secret itself, so it is no hash. It
   * opens nothing but pieces of models on other devices. Written by model/devices/sharing.ts.
   */
  sharingSecrets: defineTable({
    organizationId: v.id("organizations"),
    secret: v.string(),
    /** Still accepted, for devices that have not received the new one yet. */
    previous: v.union(v.string(), v.null()),
    rotatedAt: v.number(),
  }).index("by_organization", ["organizationId"]),
};

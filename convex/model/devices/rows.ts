import { capabilities, type WorkerView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { isByHand } from "../../../app/devices/placement.ts";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { actorWordsOf } from "../audit.ts";
import { components } from "../components.ts";
import { ruleRow, ruleView } from "../fleet/groupRules/rows.ts";
import { rolledBackOf, serviceStatusOf } from "../fleet/state.ts";
import { earnedOf } from "../ledger/balance.ts";
import { ownerName, ownerView } from "../owners.ts";
import { queue } from "../queue.ts";
import {
  activity,
  askedVersion,
  deviceLimits,
  type DeviceModel,
  deviceModel,
  devicePause,
  requestedPause,
  serviceStatus,
} from "../validators/devices.ts";
import { origin, originOf } from "./arrivals.ts";
import { visibleCapabilities } from "./capabilities.ts";
import { modelsOfDevice } from "./report.ts";

type Worker = Pick<
  WorkerView,
  "online" | "accepting" | "groups" | "labels" | "dataClasses" | "capabilities" | "version" | "lastChangeAt"
>;

export const deviceRow = v.object({
  deviceId: v.id("devices"),
  name: v.string(),
  owner: ownerName,
  platform: v.string(),
  online: v.boolean(),
  /** Whether it accepts jobs now. */
  accepting: v.boolean(),
  status: serviceStatus,
  /** Whether its person took it out of the organization. It is retired, and cannot be reinstated. */
  hasLeft: v.boolean(),
  /** Why it was paused, if it is. */
  pause: v.union(devicePause, v.null()),
  /** The pause that a person asked for, with the person's name. */
  requestedPause: v.union(v.object({ ...requestedPause.fields, by: v.string() }), v.null()),
  /** The version that it needs to get jobs, if its program is older. */
  needsVersion: v.union(v.string(), v.null()),
  /** The version that it was asked to update to, and when; null if it was asked for none, or has it. */
  askedVersion: v.union(askedVersion, v.null()),
  /** The newer version that did not work there, so that its program went back to `version`. */
  rolledBackVersion: v.union(v.string(), v.null()),
  /** Whether it has a key to sign results. Old programs have none. */
  signs: v.boolean(),
  activity: v.union(activity, v.null()),
  /** Start of the activity or of retirement: milliseconds since the epoch. */
  since: v.number(),
  /** Names of facts that it does not know about its computer; null before its first report. */
  unknownFacts: v.union(v.array(v.string()), v.null()),
  models: v.array(deviceModel),
  groups: v.array(v.string()),
  /** How it got into its groups: by a person, or by a rule. Null: it is in none. */
  placedBy: v.union(v.literal("hand"), ruleRow, v.null()),
  /** Given by an admin. The device reports others in its capabilities. */
  tags: v.array(v.string()),
  dataClasses: v.array(v.string()),
  /** What the organization allows it; null without limits. */
  limits: v.union(deviceLimits, v.null()),
  /** What counts for the queue: the device's report, cut to its limits. Null until its first `hello`. */
  capabilities: v.union(capabilities, v.null()),
  version: v.union(v.string(), v.null()),
  jobsNow: v.number(),
  /** Null for those who see no money. */
  earnedMicro: v.union(v.int64(), v.null()),
  lastChangeAt: v.number(),
  ...origin,
});

/** A device as the console shows it. About a dozen documents are read, all of this device or its owner. */
export async function deviceRowOf(ctx: QueryCtx, device: Doc<"devices">): Promise<Infer<typeof deviceRow>> {
  const worker = await queue.workers.get(ctx, device.organizationId, device.workerId);
  return await rowOf(ctx, { device, worker: worker ?? unknownWorker }, await modelsOfDevice(ctx, device._id));
}

async function rowOf(
  ctx: QueryCtx,
  { device, worker }: { readonly device: Doc<"devices">; readonly worker: Worker },
  models: DeviceModel[],
): Promise<Infer<typeof deviceRow>> {
  const {
    online,
    accepting,
    groups,
    labels,
    dataClasses,
    capabilities: workerCapabilities,
    version,
  } = worker;
  const { requestedPause: asked, organizationId } = device;
  const [held, balance, joined, owner, askedBy, placedBy] = await Promise.all([
    online ? ctx.runQuery(components.queue.work.held, { keyHash: device.keyHash }) : [],
    earnedOf(ctx, device._id),
    originOf(ctx, device),
    ownerView(ctx, device.owner),
    asked === undefined ? "" : actorWordsOf(ctx, organizationId, asked.by),
    placedByOf(ctx, device),
  ]);
  return {
    deviceId: device._id,
    name: visibleText(device.name),
    owner,
    platform: visibleText(device.platform),
    online,
    accepting,
    status: serviceStatusOf(device),
    hasLeft: device.leftAt !== undefined,
    pause: device.pause ?? null,
    requestedPause: asked === undefined ? null : { ...asked, by: askedBy },
    needsVersion: device.needsVersion ?? null,
    askedVersion: device.askedVersion ?? null,
    rolledBackVersion: rolledBackOf(device, version),
    signs: device.signingKey !== undefined,
    activity: device.activity,
    since: device.lastChangeAt,
    unknownFacts: device.unknownFacts ?? null,
    models,
    groups,
    placedBy,
    tags: labels,
    dataClasses,
    limits: device.limits ?? null,
    capabilities: workerCapabilities === null ? null : visibleCapabilities(workerCapabilities),
    version: version === null ? null : visibleText(version),
    jobsNow: held.length,
    earnedMicro: balance.micro,
    lastChangeAt: Math.max(device.lastChangeAt, worker.lastChangeAt),
    ...joined,
  };
}

async function placedByOf(
  ctx: QueryCtx,
  { groups = [], placedBy }: Doc<"devices">,
): Promise<Infer<typeof deviceRow>["placedBy"]> {
  if (placedBy === undefined || placedBy === "hand")
    return isByHand({ groups, ...(placedBy === undefined ? {} : { placedBy }) }) ? "hand" : null;
  const rule = await ctx.db.get("groupRules", placedBy);
  return rule === null ? null : await ruleView(ctx, rule);
}

/** Before its enrollment is complete. */
const unknownWorker: Worker = {
  online: false,
  accepting: false,
  groups: [],
  labels: [],
  dataClasses: [],
  capabilities: null,
  version: null,
  lastChangeAt: 0,
};

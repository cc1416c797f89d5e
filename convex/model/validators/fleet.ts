import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { deviceConcerns } from "../../../app/devices/attention.ts";
import { bulkKinds } from "../../../app/devices/bulk.ts";
import { type ViewPart, viewParts } from "../../../app/devices/views.ts";
import { type DeviceState, deviceStates } from "../../../app/statistics/metrics.ts";
import { askedVersion, devicePause, deviceStatus, requestedPause } from "./devices.ts";
import { owner } from "./people.ts";
import type { Same } from "./same.ts";

/** An act on many devices: app/devices/bulk.ts. */
export const bulkAct = v.object({
  kind: literals(...bulkKinds),
  group: v.string(),
  version: v.optional(v.string()),
});

/** How a device got into its groups: by a person, or by a rule. */
export const placedBy = v.union(v.literal("hand"), v.id("groupRules"));

/** A device of such an act, with what an undo restores. `did`: the act has changed it. */
export const bulkTarget = v.object({
  deviceId: v.id("devices"),
  effect: literals("changes", "same", "cannot"),
  did: v.boolean(),
  groups: v.array(v.string()),
  placedBy: v.optional(placedBy),
  requestedPause: v.optional(requestedPause),
  pause: v.optional(devicePause),
  askedVersion: v.optional(askedVersion),
  /** Absent in acts of earlier versions. */
  status: v.optional(deviceStatus),
});

/** Numbers of devices. */
export const deviceCounts = v.object({
  donating: v.number(),
  standby: v.number(),
  paused: v.number(),
  outdated: v.number(),
  offline: v.number(),
  pending: v.number(),
  retired: v.number(),
});
true satisfies Same<Infer<typeof deviceCounts>, Record<DeviceState, number>>;

/** The state of a device: app/statistics/metrics.ts. */
export const deviceState = literals(...deviceStates);

/** The facts of a device that are counted. */
export const countedFacts = {
  state: deviceState,
  platform: v.string(),
  version: v.string(),
  groups: v.array(v.string()),
  /** Whether its worker is online. Absent in rows of earlier versions. */
  online: v.optional(v.boolean()),
};

/** The facts of a device that lists filter by. `platform`: the system, as Node.js names it. `version`: "" if unknown. */
export const listingFacts = {
  ...countedFacts,
  models: v.array(v.string()),
  /** Absent if they are unknown, and in rows of earlier versions. */
  memoryMb: v.optional(v.number()),
  /** As much of it as jobs may use. Absent as above. */
  jobMemoryMb: v.optional(v.number()),
  gpus: v.optional(v.array(v.string())),
  tags: v.optional(v.array(v.string())),
};

export const deviceConcern = literals(...deviceConcerns);

/** The facts that a device is counted by. The last two are absent in rows of earlier versions. */
export const countedListing = v.object({
  ...countedFacts,
  models: v.optional(v.array(v.string())),
  concerns: v.optional(v.array(deviceConcern)),
});

/** `online`: donating or standing by. `attention`: something about it needs attention. */
export const listedState = literals(...deviceStates, "online", "attention");

/** A device has to fit all of these to be placed by a rule of a group: app/devices/filter.ts. */
export const ruleFilters = {
  /** A part of its name. */
  named: v.optional(v.string()),
  platform: v.optional(v.string()),
  /** This version or a newer one. */
  fromVersion: v.optional(v.string()),
  model: v.optional(v.string()),
  /** At least so much memory. */
  memoryGb: v.optional(v.number()),
  /** A kind, "any" or "none". */
  gpu: v.optional(v.string()),
  tag: v.optional(v.string()),
  owner: v.optional(owner),
};

/** Rows of a list have to fit all of these. */
export const listFilters = {
  ...ruleFilters,
  /** The beginning of words of the name. */
  search: v.optional(v.string()),
  state: v.optional(listedState),
  group: v.optional(v.string()),
  version: v.optional(v.string()),
  /** Such a concern about it. */
  concern: v.optional(deviceConcern),
  /** Its last change was before this moment; ms epoch. */
  changedBefore: v.optional(v.number()),
  /** In service, with so much memory for jobs. */
  fitsGb: v.optional(v.number()),
  /** In service, with less than that. */
  lacksGb: v.optional(v.number()),
};

export const bulkFilters = v.object(listFilters);

/** The devices of an act on many: chosen ones, all that fit filters, or all that an enrollment code admitted. */
export const bulkChosen = v.union(
  v.object({ deviceIds: v.array(v.id("devices")) }),
  v.object({ filters: bulkFilters }),
  v.object({ codeId: v.id("enrolmentCodes") }),
);

const viewPart = v.optional(v.string());

/** A view of the devices: app/devices/views.ts. A missing part is as usual. */
export const viewSettings = v.object(
  Object.fromEntries(viewParts.map((part) => [part, viewPart])) as Record<ViewPart, typeof viewPart>,
);

export const bulkState = literals("finding", "found", "running", "done", "undoing", "undone");

export const facetCount = v.object({
  of: literals("group", "platform", "version", "model", "concern"),
  name: v.string(),
  devices: v.number(),
});

/** From `at` on the device was in this state. `reason`: a code of app/policy, or "". */
export const deviceSpan = v.object({ at: v.number(), state: deviceState, reason: v.string() });

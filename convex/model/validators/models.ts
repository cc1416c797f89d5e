import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { rolloutActs } from "../../../app/models/rollout/acts.ts";
import { rolloutDeviceStates, rolloutStates } from "../../../app/models/rollout/device.ts";
import type { StageCounts } from "../../../app/models/rollout/next-step.ts";
import type { RolloutPace, Stage } from "../../../app/models/rollout/stages.ts";
import type { Same } from "./same.ts";

/** How far a stage of a roll-out goes: app/models/rollout/stages.ts. */
export const stageSize = v.union(
  v.object({ of: v.literal("devices"), devices: v.number() }),
  v.object({ of: v.literal("percent"), percent: v.number() }),
);

export const rolloutStage = v.object({
  size: stageSize,
  upTo: v.number(),
  devices: v.number(),
  expected: v.number(),
});
true satisfies Same<Infer<typeof rolloutStage>, Stage>;

export const rolloutPace = v.object({
  minMinutes: v.number(),
  readyPercent: v.number(),
  failedPercent: v.number(),
  byHand: v.boolean(),
});
true satisfies Same<Infer<typeof rolloutPace>, RolloutPace>;

export const rolloutState = literals(...rolloutStates);

export const rolloutAct = literals(...rolloutActs);

export const rolloutPlace = v.object({ state: rolloutState, stage: v.number() });

export const rolloutDeviceState = literals(...rolloutDeviceStates);

export const stageCounts = v.object({ downloading: v.number(), ready: v.number(), failed: v.number() });
true satisfies Same<Infer<typeof stageCounts>, StageCounts>;

/** The facts that a model's file tells, or why it could not be read. */
export const inspectionOutcome = v.union(
  v.object({
    kind: v.literal("read"),
    modelId: v.string(),
    source: v.string(),
    sizeBytes: v.number(),
    /** Null if the server does not tell it. */
    sha256: v.union(v.string(), v.null()),
    contextTokens: v.number(),
    licence: v.string(),
    /** Whether the file has a chat template of its own. */
    hasTemplate: v.boolean(),
    architecture: v.string(),
    /** The memory that a device needs for it, with a usual context. */
    needsBytes: v.number(),
    /** Devices that are in service, and those of them with that much memory. */
    devices: v.number(),
    fitting: v.number(),
  }),
  /** The link is one to a repository: a person chooses one of its files. */
  v.object({
    kind: v.literal("files"),
    files: v.array(v.object({ link: v.string(), file: v.string(), sizeBytes: v.number() })),
  }),
  v.object({ kind: v.literal("failed"), why: v.string() }),
);

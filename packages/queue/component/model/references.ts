import { type DefaultFunctionArgs, makeFunctionReference } from "convex/server";
import type { Id } from "../builders.ts";
import type { Fleet } from "./counts/fleet.ts";
import type { Look, Range, RangeCount } from "./counts/ranges.ts";
import type { ScopeCounts } from "./counts/tally.ts";
import type { Step } from "./jobs/step.ts";

/** The component's own functions that are scheduled, by name: its modules import the model, not the other way round. */
function internalMutation<Args extends DefaultFunctionArgs>(name: string) {
  return makeFunctionReference<"mutation", Args, null>(`maintenance:${name}`);
}

export const maintenance = {
  /** Looks after a scope's leases, and takes what a silent worker holds: model/leases/. */
  sweepLeases: internalMutation<{ scope: string; due: number; graced: boolean }>("sweepLeases"),
  lapse: internalMutation<{ workerId: Id<"workers">; lastSeenAt: number; failures?: number }>("lapse"),
  healSweeps: internalMutation<Record<string, never>>("healSweeps"),
  /** Takes back what was handed over and not begun: model/dispatch/reclaim.ts. */
  recall: internalMutation<{ scope: string; due: number; graced?: boolean }>("recall"),
  /** Makes delayed jobs ready whose time has come: model/jobs/waiting.ts. */
  wakeDue: internalMutation<{ later?: number[] }>("wakeDue"),
  /** Ends a job that is not begun, or not done, in time: model/end/expire.ts. */
  expire: internalMutation<{ jobId: Id<"jobs">; at: number; failures?: number }>("expire"),
  /** What happens to one job, in a transaction of its own: model/tryAgain.ts. */
  step: internalMutation<{ step: Step }>("step"),
  /** Gives turns to jobs of a limited requester or key: model/limits/admit.ts. */
  admit: internalMutation<{ scope: string; of: "requester" | "key"; name: string }>("admit"),
  /** Tells those that depend on a final job: model/dependencies/settle.ts. */
  settleDependents: internalMutation<{
    jobId: Id<"jobs">;
    refused?: Id<"dependencies">[];
    failures?: number;
  }>("settleDependents"),
  /** Counts a batch's ends: model/batches/fold.ts. */
  foldBatch: internalMutation<{ batchId: Id<"batches">; failures?: number }>("foldBatch"),
  /** Submits a recurring job that is due; called by the crons component: model/recurring/clock.ts. */
  fireRecurring: internalMutation<{ recurringId: Id<"recurring"> }>("fireRecurring"),
  /** Ends watching that nobody renewed: model/streams/follow.ts. */
  endWatching: internalMutation<{ jobIds: Id<"jobs">[] }>("endWatching"),
  deleteChunks: internalMutation<{ jobId: Id<"jobs"> }>("deleteChunks"),
  /** Fits a lane's slots to how many accept, and enlists those that wait at a new lane: model/rings/. */
  resize: internalMutation<{ laneId: Id<"lanes"> }>("resize"),
  enlist: internalMutation<{ laneId: Id<"lanes">; after: number }>("enlist"),
  /** Ends what is left of a mass cancellation, or of a mass retry of dead letters: model/end/. */
  cancelMany: internalMutation<{
    scope: string;
    by: "requester" | "key" | "batch" | "lane";
    name: string;
    /** Whether those that a worker is at work on are canceled, too. */
    running: boolean;
    before?: number;
    refused?: Id<"jobs">[];
    failures?: number;
  }>("cancelMany"),
  reviveMany: internalMutation<{
    scope: string;
    kind: string | null;
    status: "failed" | "expired";
    cursor: string | null;
    before: number;
  }>("reviveMany"),
  /** Delete what is kept no longer: model/end/purge.ts, model/end/forget.ts. */
  purge: internalMutation<Record<string, never>>("purge"),
  forget: internalMutation<Record<string, never>>("forget"),
  /** Deletes lanes that are unused, and the rings of those: model/lanes/forgetLanes.ts. */
  forgetLanes: internalMutation<{ cursor: string | null }>("forgetLanes"),
  emptyRings: internalMutation<{ laneId: Id<"lanes"> }>("emptyRings"),
} as const;

/** The parts of the minute's count: model/counts/. An action asks them one after the other. */
export const counts = {
  count: makeFunctionReference<"action", Record<string, never>, null>("counts:count"),
  lanesToCount: makeFunctionReference<
    "query",
    { cursor: string | null },
    { lanes: { laneId: Id<"lanes">; scope: string; name: string }[]; cursor: string | null }
  >("counts:lanesToCount"),
  look: makeFunctionReference<"query", { laneIds: Id<"lanes">[] }, Look>("counts:look"),
  countRange: makeFunctionReference<"query", Range, RangeCount>("counts:countRange"),
  largeFleet: makeFunctionReference<"query", { scope: string }, Fleet | null>("counts:largeFleet"),
  note: makeFunctionReference<"mutation", ScopeCounts, null>("counts:note"),
} as const;

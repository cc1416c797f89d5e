import { type DefaultFunctionArgs, makeFunctionReference } from "convex/server";
import type { Id } from "../builders.ts";
import type { Fleet } from "./counts/fleet.ts";
import type { Look, Range, RangeCount } from "./counts/ranges.ts";
import type { ScopeCounts } from "./counts/tally.ts";
import type { Step } from "./jobs/step.ts";

/**
 * References to the component's scheduled functions, by name. An import would make a circle, because the function
 * modules import the model.
 */
function internalMutation<Args extends DefaultFunctionArgs>(name: string) {
  return makeFunctionReference<"mutation", Args, null>(`maintenance:${name}`);
}

export const maintenance = {
  /** Checks a scope's leases, and takes back the jobs of silent workers: model/leases/. */
  sweepLeases: internalMutation<{ scope: string; due: number; graced: boolean }>("sweepLeases"),
  lapse: internalMutation<{ workerId: Id<"workers">; lastSeenAt: number; failures?: number }>("lapse"),
  healSweeps: internalMutation<Record<string, never>>("healSweeps"),
  /** Takes back jobs that were handed over and not started: model/dispatch/reclaim.ts. */
  recall: internalMutation<{ scope: string; due: number; graced?: boolean }>("recall"),
  /** Makes delayed jobs ready when they are due: model/jobs/waiting.ts. */
  wakeDue: internalMutation<{ later?: number[] }>("wakeDue"),
  /** Ends a job that has not started or finished in time: model/end/expire.ts. */
  expire: internalMutation<{ jobId: Id<"jobs">; at: number; failures?: number }>("expire"),
  /** Runs one step for a single job in its own transaction: model/tryAgain.ts. */
  step: internalMutation<{ step: Step }>("step"),
  /** Admits waiting jobs of a limited requester or key: model/limits/admit.ts. */
  admit: internalMutation<{ scope: string; of: "requester" | "key"; name: string }>("admit"),
  /** Updates the jobs that depend on a final job: model/dependencies/settle.ts. */
  settleDependents: internalMutation<{
    jobId: Id<"jobs">;
    refused?: Id<"dependencies">[];
    failures?: number;
  }>("settleDependents"),
  /** Counts a batch's final jobs: model/batches/fold.ts. */
  foldBatch: internalMutation<{ batchId: Id<"batches">; failures?: number }>("foldBatch"),
  /** Submits a recurring job that is due. Called by the crons component: model/recurring/clock.ts. */
  fireRecurring: internalMutation<{ recurringId: Id<"recurring"> }>("fireRecurring"),
  /** Stops watching jobs whose watch was not renewed: model/streams/follow.ts. */
  endWatching: internalMutation<{ jobIds: Id<"jobs">[] }>("endWatching"),
  deleteChunks: internalMutation<{ jobId: Id<"jobs"> }>("deleteChunks"),
  /** Fits a lane's slots to its number of waiting workers, and adds waiting workers to a new lane: model/rings/. */
  resize: internalMutation<{ laneId: Id<"lanes"> }>("resize"),
  enlist: internalMutation<{ laneId: Id<"lanes">; after: number }>("enlist"),
  /** Continues a mass cancellation, or a mass retry of dead letters: model/end/. */
  cancelMany: internalMutation<{
    scope: string;
    by: "requester" | "key" | "batch" | "lane";
    name: string;
    /** Whether running jobs are canceled, too. */
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
  /** Delete data after its retention time: model/end/purge.ts, model/end/forget.ts. */
  purge: internalMutation<Record<string, never>>("purge"),
  forget: internalMutation<Record<string, never>>("forget"),
  /** Deletes unused lanes and their rings: model/lanes/forgetLanes.ts. */
  forgetLanes: internalMutation<{ cursor: string | null }>("forgetLanes"),
  emptyRings: internalMutation<{ laneId: Id<"lanes"> }>("emptyRings"),
} as const;

/** The steps of the count that runs each minute: model/counts/. An action calls them in sequence. */
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

import { makeFunctionReference } from "convex/server";
import type { Payload } from "../side.ts";

type Answer = { readonly status: string; readonly lastUpdate: number; readonly text: string } | null;
type Claimed = { readonly jobId: string; readonly payload: Payload } | null;
type OfJob = { key: string; jobId: string };

/** References to the functions of bench/baseline/convex. */
export const api = {
  jobs: {
    submit: makeFunctionReference<"mutation", { payload: Payload }, string>("jobs:submit"),
    answer: makeFunctionReference<"query", { jobId: string }, Answer>("jobs:answer"),
    allDone: makeFunctionReference<"query", Record<string, never>, boolean>("jobs:allDone"),
  },
  workers: {
    register: makeFunctionReference<"mutation", { keys: readonly string[] }, null>("workers:register"),
    isThereWork: makeFunctionReference<"query", Record<string, never>, boolean>("workers:isThereWork"),
    claim: makeFunctionReference<"mutation", { key: string }, Claimed>("workers:claim"),
    heartbeat: makeFunctionReference<"mutation", OfJob, null>("workers:heartbeat"),
    stream: makeFunctionReference<"mutation", OfJob & { text: string }, null>("workers:stream"),
    complete: makeFunctionReference<"mutation", OfJob & { text: string }, null>("workers:complete"),
  },
};

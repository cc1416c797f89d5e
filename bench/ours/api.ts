import type { StreamPosition, WatchView } from "@gleaner/queue";
import { makeFunctionReference } from "convex/server";
import type { Payload } from "../side.ts";

type Watch = { jobId: string; after?: StreamPosition };

/** References to the functions of bench/ours/convex, except the workers'. */
export const api = {
  jobs: {
    submit: makeFunctionReference<
      "mutation",
      { payload: Payload; watched: boolean; handOver: boolean },
      string
    >("jobs:submit"),
    watch: makeFunctionReference<"query", Watch, WatchView>("jobs:watch"),
    allDone: makeFunctionReference<"query", Record<string, never>, boolean>("jobs:allDone"),
  },
  workers: {
    register: makeFunctionReference<"mutation", { keys: readonly string[] }, null>("workers:register"),
  },
};

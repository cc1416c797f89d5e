import { join } from "node:path";
import type { StreamPosition, WatchView } from "@gleaner/queue";
import { functionsAt, Worker } from "@gleaner/queue/worker";
import type { ConvexClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import type { Payload, Side } from "../side.ts";
import { kindOf, module } from "./call-kinds.ts";

type Watch = { jobId: string; after?: StreamPosition };

/** References to the functions of bench/ours/convex, except the workers'. */
const api = {
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

/** The kind of every job, as in bench/ours/convex/queue.ts. */
const kind = "bench";

/** Gleaner's queue: its component, its client and its worker. */
export const ours: Side = {
  functions: join(import.meta.dirname, "convex"),
  register: async (client, keys) => {
    await client.mutation(api.workers.register, { keys });
  },
  // Like Gleaner's API: a hand-over that loses its races is submitted again without one.
  submit: async (client, payload) => {
    const job = { payload, watched: payload.kind === "answer" };
    try {
      return await client.mutation(api.jobs.submit, { ...job, handOver: true });
    } catch {
      return await client.mutation(api.jobs.submit, { ...job, handOver: false });
    }
  },
  watch: watchText,
  allDone: (client) => client.query(api.jobs.allDone, {}),
  startWorker: (client, key, handler) => {
    const worker = new Worker(client, {
      key,
      functions: functionsAt(module),
      handlers: {
        [kind]: async (payload, { append }) => {
          let text = "";
          await handler(payload as Payload, async (piece) => {
            text += piece;
            append(piece);
          });
          return text;
        },
      },
    });
    worker.start();
  },
  kindOf,
  heartbeatsIn: (functions) =>
    functions
      .filter((each) => each.function === `${module}.js:heartbeat`)
      .reduce((sum, { runs }) => sum + runs, 0),
};

/** Follows a job's text. Each new piece moves the subscription to the position after it. */
function watchText(client: ConvexClient, jobId: string, onText: (text: string) => void): () => void {
  let text = "";
  let unsubscribe: () => void = () => undefined;
  const follow = (after?: StreamPosition): void => {
    const asked = { jobId, ...(after === undefined ? {} : { after }) };
    unsubscribe = client.onUpdate(api.jobs.watch, asked, ({ status, attemptId, chunks, result }) => {
      const last = chunks.at(-1);
      if (attemptId !== null && last !== undefined) {
        text = (attemptId === after?.attemptId ? text : "") + chunks.map((chunk) => chunk.text).join("");
        unsubscribe();
        follow({ attemptId, seq: last.seq });
      }
      if (status === "succeeded" && typeof result === "string") text = result;
      onText(text);
    });
  };
  follow();
  return () => unsubscribe();
}

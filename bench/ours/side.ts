import { join } from "node:path";
import type { StreamPosition, WatchView } from "@gleaner/queue";
import type { JobSize } from "@gleaner/queue/validators";
import { functionsAt, Worker } from "@gleaner/queue/worker";
import type { ConvexClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import type { PacedJob, Payload, Side } from "../side.ts";
import { kind, kindOf, module } from "./call-kinds.ts";

type Watch = { jobId: string; after?: StreamPosition };

/** References to the functions of bench/ours/convex, except the workers'. */
const api = {
  jobs: {
    submit: makeFunctionReference<
      "mutation",
      { payload: Payload | PacedJob; watched: boolean; handOver: boolean; size?: JobSize },
      string
    >("jobs:submit"),
    watch: makeFunctionReference<"query", Watch, WatchView>("jobs:watch"),
    allDone: makeFunctionReference<"query", Record<string, never>, boolean>("jobs:allDone"),
  },
  workers: {
    register: makeFunctionReference<"mutation", { keys: readonly string[] }, null>("workers:register"),
  },
};

/** Gleaner's queue: its component, its client and its worker. */
export const ours: Side = {
  functions: join(import.meta.dirname, "convex"),
  register: async (client, keys) => {
    await client.mutation(api.workers.register, { keys });
  },
  submit: (client, payload) => submit(client, { payload, watched: payload.kind === "answer" }),
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

/** Like Gleaner's API: a hand-over that loses its races is submitted again without one. */
async function submit(
  client: ConvexClient,
  job: { readonly payload: Payload | PacedJob; readonly watched: boolean; readonly size?: JobSize },
): Promise<string> {
  try {
    return await client.mutation(api.jobs.submit, { ...job, handOver: true });
  } catch {
    return await client.mutation(api.jobs.submit, { ...job, handOver: false });
  }
}

/** Submits a job for workers with different speeds. */
export function submitSized(client: ConvexClient, payload: PacedJob, size: JobSize | null): Promise<string> {
  return submit(client, { payload, watched: false, ...(size === null ? {} : { size }) });
}

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

import { join } from "node:path";
import { functionsAt, Worker } from "@gleaner/queue/worker";
import type { Payload, Side } from "../side.ts";
import { api } from "./api.ts";
import { kindOf, module } from "./call-kinds.ts";
import { watchText } from "./watch-text.ts";

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

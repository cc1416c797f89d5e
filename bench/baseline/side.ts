import { join } from "node:path";
import type { Call, CallKind, Side } from "../side.ts";
import { api } from "./api.ts";
import { work } from "./worker.ts";

/** The published pattern: one table, and the first worker to ask gets the first pending job. */
export const baseline: Side = {
  functions: join(import.meta.dirname, "convex"),
  register: async (client, keys) => {
    await client.mutation(api.workers.register, { keys });
  },
  submit: (client, payload) => client.mutation(api.jobs.submit, { payload }),
  watch: (client, jobId, onText) =>
    client.onUpdate(api.jobs.answer, { jobId }, (answer) => onText(answer?.text ?? "")),
  allDone: (client) => client.query(api.jobs.allDone, {}),
  startWorker: (client, key, handler) => void work(client, key, handler),
  kindOf,
  heartbeatsIn: (functions) =>
    functions
      .filter((each) => each.function === "workers.js:heartbeat")
      .reduce((sum, { runs }) => sum + runs, 0),
};

export function kindOf({ name, value, error }: Call): CallKind {
  if (error !== null) return "failure";
  if (name === "workers:complete") return "completion";
  if (name !== "workers:claim") return "other";
  return value === null ? "empty" : "claim";
}

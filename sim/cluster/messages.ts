import * as z from "zod";

/** A client's requests and their bounds. */
export const bounds = {
  messageBytes: 1 << 20,
  workers: 10_000,
  jobs: 1_000_000,
  durationMs: 3_600_000,
  name: 255,
};

const name = z.string().min(1).max(bounds.name);
const names = z.array(name).max(bounds.workers);
const msgId = z.union([z.int(), z.string().max(bounds.name)]).optional();

const init = z.object({
  type: z.literal("init"),
  msg_id: msgId,
  workers: names
    .min(1)
    .refine((all) => new Set(all).size === all.length, { message: "names must differ from each other" }),
  jobs_to_distribute: z.int().min(0).max(bounds.jobs),
});

const stealJob = z.object({
  type: z.literal("steal_job"),
  msg_id: msgId,
  thief_worker: name,
  busy_workers: names,
});

const runSimulation = z.object({
  type: z.literal("run_simulation"),
  msg_id: msgId,
  duration_ms: z.number().min(0).max(bounds.durationMs),
});

const checkClusterState = z.object({ type: z.literal("check_cluster_state"), msg_id: msgId });

export const request = z.discriminatedUnion("type", [init, stealJob, runSimulation, checkClusterState]);
export type Request = z.infer<typeof request>;

/** A message with addresses. A bare body is valid too. */
export const envelope = z.object({
  src: z.string().max(bounds.name).optional(),
  dest: z.string().max(bounds.name).optional(),
  body: z.record(z.string(), z.unknown()),
});

export type Body = { readonly type: string; readonly [field: string]: unknown };

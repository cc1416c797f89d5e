import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { Farm } from "../../launch/farm/farm.ts";
import { residentBytes } from "../support/resident-memory.ts";
import type { Requester } from "./requester.ts";
import { tasks } from "./stand-in.ts";

const object = z.object({ id: z.string() });
const batchObject = z.object({ status: z.string(), request_counts: z.object({ completed: z.number() }) });

const lines = 300;

/** Lines of a batch in a second, from the upload of its file until the batch has ended, or until the time is up. */
export async function measureBatch(farm: Farm, requester: Requester, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  const id = await sendBatch(farm, requester, lines);
  for (;;) {
    await sleep(500);
    const batch = batchObject.parse(await (await requester.fetch(`/batches/${id}`)).json());
    const ms = performance.now() - startedAt;
    if (batch.status === "completed" || ms > withinMs) return batch.request_counts.completed / (ms / 1_000);
  }
}

/** Starts a batch of so many lines, which stand-ins answer at once by default. Returns its id. */
export async function sendBatch(
  { modelId }: Farm,
  requester: Requester,
  lineCount: number,
  task: string = tasks.atOnce,
): Promise<string> {
  const body = { model: modelId, messages: [{ role: "user", content: task }] };
  const content = Array.from({ length: lineCount }, (_, line) =>
    JSON.stringify({ custom_id: `line ${line}`, method: "POST", url: "/v1/chat/completions", body }),
  ).join("\n");
  const input = await upload(requester, content);
  const created = await requester.fetch("/batches", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      input_file_id: input,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    }),
  });
  return object.parse(await created.json()).id;
}

async function upload(requester: Requester, content: string): Promise<string> {
  const form = new FormData();
  form.append("purpose", "batch");
  form.append("file", new Blob([content]), "lines.jsonl");
  const response = await requester.fetch("/files", { method: "POST", body: form });
  return object.parse(await response.json()).id;
}

export type Memory = {
  /** Growth of the backend's resident memory, MB of 10^6 bytes, once it is idle again. */
  readonly growthMb: number;
  /** The same at most meanwhile. */
  readonly peakGrowthMb: number;
  readonly megabytesEachWay: number;
};

const fileBytes = 16_000_000;
const files = 13;
/** An idle backend gives memory back within this time. */
const settleMs = 16_000;

/**
 * The backend's memory while files go in, come out and are deleted.
 * @param options `before`: its memory at rest, in bytes. `withinMs`: a slow machine sends fewer files.
 */
export async function measureMemory(
  { backend }: Farm,
  requester: Requester,
  { before, withinMs }: { readonly before: number; readonly withinMs: number },
): Promise<Memory> {
  const { pid } = backend.child;
  const content = `${"x".repeat(999)}\n`.repeat(fileBytes / 1_000);
  // The garbage of earlier calls does not count as that of files.
  await leastResidentBytes(pid, settleMs);
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, residentBytes(pid))), 250);
  const until = performance.now() + withinMs;
  let moved = 0;
  for (let file = 0; file < files && performance.now() < until; file += 1) {
    const id = await upload(requester, content);
    const back = await (await requester.fetch(`/files/${id}/content`)).arrayBuffer();
    if (back.byteLength !== fileBytes) throw new Error(`A file came back with ${back.byteLength} bytes.`);
    await requester.fetch(`/files/${id}`, { method: "DELETE" });
    moved += fileBytes;
  }
  clearInterval(watch);
  const after = await leastResidentBytes(pid, settleMs);
  return {
    growthMb: Math.max(0, after - before) / 1e6,
    peakGrowthMb: (peak - before) / 1e6,
    megabytesEachWay: moved / 1e6,
  };
}

/** The least resident memory of a process in some time. */
export async function leastResidentBytes(pid: number, withinMs: number): Promise<number> {
  let least = Infinity;
  for (const until = performance.now() + withinMs; performance.now() < until;) {
    await sleep(1_000);
    least = Math.min(least, residentBytes(pid));
  }
  return least;
}

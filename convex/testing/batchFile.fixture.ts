import { expect } from "vitest";
import { internal } from "../_generated/api.js";
import { type Backend, modelId, pass } from "./backend.fixture.ts";

export const ask = (prompt: string) => ({ model: modelId, messages: [{ role: "user", content: prompt }] });

/** A line of a batch's file. */
export function line(customId: string, body: object = ask(`Answer ${customId}.`), over: object = {}): string {
  const around = { custom_id: customId, method: "POST", url: "/v1/chat/completions" };
  return JSON.stringify({ ...around, body, ...over });
}

export const lines = (count: number): string =>
  Array.from({ length: count }, (_, n) => line(`q${n}`)).join("\n");

/** Stores a file of requests, as a requester does. Returns its id. */
export async function uploadFile(t: Backend, apiKey: string, content: string): Promise<string> {
  await runDue(t);
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new File([content], "prompts.jsonl"));
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await t.fetch("/v1/files", { method: "POST", body: form, headers });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

/** Runs what is due, and what that schedules at once. */
export async function runDue(t: Backend): Promise<void> {
  for (let times = 0; times < 4; times += 1) await pass(t, 0);
}

/**
 * Collects the ends of all batches' jobs at once. `convex-test` stores no file while another function runs, so that the
 * scheduled collection is not awaited.
 */
export async function collectEnds(t: Backend): Promise<void> {
  await runDue(t);
  const batches = await t.run(async (ctx) => await ctx.db.query("batches").collect());
  for (const { _id: batchId } of batches) await t.action(internal.batchSteps.collect, { batchId });
  await runDue(t);
}

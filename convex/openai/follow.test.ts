import { type FunctionReference, getFunctionName } from "convex/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  claim,
  complete,
  type Organization,
  startBackend,
  submit,
} from "../testing/backend.fixture.ts";
import { follow } from "./follow.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(() => {
  vi.useRealTimers();
});

/** The real backend, where each query takes half a minute. */
function slowCtx(said: string[]): ActionCtx {
  const ctx = {
    runQuery: async (query: FunctionReference<"query">, args: Record<string, unknown>): Promise<unknown> => {
      vi.setSystemTime(Date.now() + 30_000);
      return await t.query(query, args);
    },
    runMutation: async (
      mutation: FunctionReference<"mutation">,
      args: Record<string, unknown>,
    ): Promise<unknown> => {
      said.push(getFunctionName(mutation));
      return await t.mutation(mutation, args);
    },
  };
  return ctx as unknown as ActionCtx;
}

it.each([
  [true, 2],
  [false, 0],
])("tells the queue again that somebody watches a stream (stream: %s)", async (stream, times) => {
  const device = await addDevice(t, acme);
  const jobId = await submit(t, acme, { stream });
  const attemptId = await claim(t, device, jobId);
  const said: string[] = [];
  const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
  const asked = { keyId, jobId, giveUpAt: Date.now() + 9 * 60_000, stream };
  let views = 0;
  for await (const view of follow(slowCtx(said), asked)) {
    views += 1;
    // After two minutes.
    if (views === 4) await complete(t, device, attemptId);
    if (view.result !== null) expect(view.result).toMatchObject({ text: "Hello." });
  }
  expect(views).toBe(5);
  expect(said).toEqual(Array.from({ length: times }, () => "requests:follow"));
});

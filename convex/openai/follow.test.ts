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

const realSetTimeout = setTimeout;
let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // The queries take all the time. Longer timers are the queue's.
  vi.stubGlobal("setTimeout", (run: () => void, ms: number) => realSetTimeout(run, ms <= 5_000 ? 0 : ms));
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
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
  expect(said.filter((name) => name === "requests:followAdmitted")).toHaveLength(times);
});

it("counts as a waiting call from its first seconds to its end", async () => {
  const device = await addDevice(t, acme);
  const jobId = await submit(t, acme, {});
  const attemptId = await claim(t, device, jobId);
  const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
  const waits = async () => await t.run(async (ctx) => await ctx.db.query("waits").collect());
  const giveUpAt = Date.now() + 9 * 60_000;
  const counts: number[] = [];
  for await (const { status } of follow(slowCtx([]), { keyId, jobId, giveUpAt, stream: false })) {
    counts.push((await waits()).length);
    if (counts.length === 2) expect(await waits()).toMatchObject([{ apiKeyId: keyId, until: giveUpAt }]);
    if (status === "running" && counts.length === 3) await complete(t, device, attemptId);
  }
  expect(counts).toEqual([0, 1, 1, 1]);
  expect(await waits()).toEqual([]);
});

it("does not count when it stops early", async () => {
  const jobId = await submit(t, acme, {});
  const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
  const views = follow(slowCtx([]), { keyId, jobId, giveUpAt: Date.now() + 9 * 60_000, stream: true });
  await views.next();
  await views.next();
  await views.return();
  expect(await t.run(async (ctx) => await ctx.db.query("waits").collect())).toEqual([]);
});

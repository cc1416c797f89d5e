import type { FunctionReference } from "convex/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  type Organization,
  startBackend,
} from "../../testing/backend.fixture.ts";
import { lines, uploadFile } from "../../testing/batchFile.fixture.ts";
import { cutFile } from "./cutFile.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  t = startBackend();
  acme = await addOrganization(t);
  await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

/** The real backend, whose mutations have no time for more than so many requests. Notes how many each one got. */
function slowCtx(most: number, tried: number[]): ActionCtx {
  const ctx = {
    runQuery: async (query: FunctionReference<"query">, args: Record<string, unknown>): Promise<unknown> =>
      await t.query(query, args),
    runMutation: async (
      mutation: FunctionReference<"mutation">,
      args: Record<string, unknown>,
    ): Promise<unknown> => {
      const { requests } = args as { readonly requests?: readonly unknown[] };
      if (requests !== undefined) tried.push(requests.length);
      if ((requests?.length ?? 0) > most) throw new Error("Function execution timed out");
      return await t.mutation(mutation, args);
    },
    storage: {
      get: async (id: Id<"_storage">): Promise<Blob> =>
        new Blob([await t.run(async ({ storage }) => (await (await storage.get(id))?.text()) ?? "")]),
    },
  };
  return ctx as unknown as ActionCtx;
}

async function createBatch(count: number): Promise<Id<"batches">> {
  const body = {
    input_file_id: await uploadFile(t, acme.apiKey, lines(count)),
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  };
  const headers = { authorization: `Bearer ${acme.apiKey}` };
  await t.fetch("/v1/batches", { method: "POST", body: JSON.stringify(body), headers });
  const batch = await t.run(async (ctx) => await ctx.db.query("batches").first());
  return batch!._id;
}

it("submits fewer requests at once when a whole piece takes too long", async () => {
  const batchId = await createBatch(11);
  const tried: number[] = [];
  await cutFile(slowCtx(3, tried), batchId);
  expect(tried).toEqual([11, 6, 3, 3, 3, 2]);
  expect(await t.run(async (ctx) => await ctx.db.get("batches", batchId))).toMatchObject({
    isCut: true,
    cut: { requests: 11 },
  });
  expect(await allJobs(t, acme)).toHaveLength(11);
});

it("fails with the error of a single request, and goes on from there the next time", async () => {
  const batchId = await createBatch(4);
  await expect(cutFile(slowCtx(0, []), batchId)).rejects.toThrow("timed out");
  expect(await allJobs(t, acme)).toHaveLength(0);
  await cutFile(slowCtx(4, []), batchId);
  expect(await allJobs(t, acme)).toHaveLength(4);
});

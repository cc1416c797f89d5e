import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  type Backend,
  countQueue,
  modelId,
  type Organization,
  pass,
  secret,
  submit,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

/** The work of the timer in each minute. */
async function sample(): Promise<void> {
  vi.setSystemTime(Date.now() + 60_000);
  await t.action(internal.fleet.steps.followFleet, { organizationId: acme.organizationId });
}

type Range = "hour" | "day" | "week";
const depths = async (range: Range, by: "all" | "model" | "lane" | "key" = "all", subject = "") =>
  await t.query(api.console.queue.depths, { session, by, subject, range, until: Date.now() });

it("the depth of the queue is sampled once a minute, of all jobs, by model and by lane", async () => {
  await sample();
  await submit(t, acme);
  await submit(t, acme);
  await sample();
  const all = await depths("hour");
  expect(all.map(({ ready }) => ready)).toEqual([0, 2]);
  expect(all[1]!.at - all[0]!.at).toBe(60_000);
  expect((await depths("hour", "model", modelId)).map(({ ready }) => ready)).toEqual([2]);
  const [lane] = (await t.query(api.console.queue.stats, { session })).lanes;
  // The statistics name lanes in the same way.
  expect((await depths("hour", "lane", lane!.name)).map(({ ready }) => ready)).toEqual([2]);
  expect(await depths("hour", "model", "another")).toEqual([]);
});

it("longer times show the highest numbers of a span, so that no peak is lost", async () => {
  vi.setSystemTime(1_800_000_000_000 - (1_800_000_000_000 % 3_600_000));
  await sample();
  const jobId = await submit(t, acme);
  await sample();
  await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
  await sample();
  expect((await depths("hour")).map(({ ready }) => ready)).toEqual([0, 1, 0]);
  expect((await depths("day")).map(({ ready }) => ready)).toEqual([1]);
  expect((await depths("week")).map(({ ready }) => ready)).toEqual([1]);
});

it("samples are one row an hour, and are deleted after eight days", async () => {
  await sample();
  await sample();
  const rows = async () => await t.run(async (ctx) => await ctx.db.query("queueDepths").collect());
  expect(await rows()).toHaveLength(1);
  vi.setSystemTime(Date.now() + 9 * 86_400_000);
  await pass(t, 10);
  await sample();
  expect(await rows()).toHaveLength(1);
  expect(await depths("week")).toHaveLength(1);
});

/** Makes another API key, and returns its id and its secret. */
async function addKey(name: string) {
  const apiKey = secret("sk-gleaner-");
  const keyHash = await hashSecret(apiKey);
  const prefix = apiKey.slice(0, 14);
  const { keyId } = await t.mutation(api.console.keys.create, { session, name, keyHash, prefix });
  return { keyId, apiKey };
}

it("the depth is sampled by key, and the keys beyond the ten with most jobs are added up", async () => {
  const keys: Awaited<ReturnType<typeof addKey>>[] = [];
  for (let n = 0; n < 12; n += 1) keys.push(await addKey(`key ${String(n)}`));
  const [first, ...others] = keys;
  for (let n = 0; n < 3; n += 1) await submit(t, first!);
  for (const key of others) await submit(t, key);
  await sample();
  const readyOf = async (keyId: string) => (await depths("hour", "key", keyId)).map(({ ready }) => ready);
  expect(await readyOf(first!.keyId)).toEqual([3]);
  const each = await Promise.all(others.map(async ({ keyId }) => await readyOf(keyId)));
  expect(each.flat()).toEqual(Array(9).fill(1));
  expect(await readyOf("")).toEqual([2]);
  const all = (await depths("hour")).map(({ ready }) => ready);
  expect(all).toEqual([14]);
});

it("beyond a hundred jobs, the depth of a key is that of the last count", async () => {
  const { keyId, apiKey } = await addKey("busy");
  for (let n = 0; n < 104; n += 1) await submit(t, { apiKey });
  await sample();
  expect(await depths("hour", "key", keyId)).toMatchObject([{ ready: 100 }]);
  await countQueue(t);
  await sample();
  expect((await depths("hour", "key", keyId)).map(({ ready }) => ready)).toEqual([100, 104]);
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  chat,
  type Device,
  expectBooksInOrder,
  greeting,
  modelId,
  type Organization,
  pass,
  startBackend,
  submitWork,
  take,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;
let slow: Device;
let fast: Device;

/** A waiting device that writes so many tokens a second. */
async function addWithSpeed(name: string, outputPerSecond: number): Promise<Device> {
  const device = await addDevice(t, acme, name);
  const { capabilities, ...rest } = greeting();
  const speeds = [{ of: modelId, inputPerSecond: 10 * outputPerSecond, outputPerSecond }];
  await t.mutation(api.work.hello, {
    key: device.key,
    ...rest,
    capabilities: { ...capabilities, speeds },
  });
  await take(t, device);
  return device;
}

const ask = (maxTokens: number, handOver = true): Promise<string> =>
  submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi", { maxTokens }) }, { handOver });

const handedTo = async ({ key }: Device): Promise<readonly string[]> =>
  (await t.query(api.work.handed, { key })).map(({ jobId }) => jobId);

const shownTo = async ({ key }: Device) =>
  (await t.query(api.work.candidates, { key, subscriptions: [] })).jobs;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t, { contextTokens: 8_192 });
  slow = await addWithSpeed("slow", 4);
  fast = await addWithSpeed("fast", 80);
  // The first request makes the lane, which then learns the speeds of its devices.
  await ask(16, false);
  for (let step = 0; step < 3; step += 1) await pass(t, 2_000);
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

describe("a request to a slow and a fast device", () => {
  it("goes to the fast device", async () => {
    const jobId = await ask(200);
    expect(await handedTo(fast)).toEqual([jobId]);
    expect(await handedTo(slow)).toEqual([]);
  });

  it("goes to the slow device later if it is long, and soon if it is short", async () => {
    await ask(200);
    const [long, short] = [await ask(200), await ask(4)];
    const patience = Object.fromEntries((await shownTo(slow)).map((job) => [job.jobId, job.patienceMs]));
    expect(patience[long]).toBeGreaterThan(5_000);
    expect(patience[short]).toBeLessThan(1_000);
  });

  it("counts as long only up to the length of a usual answer", async () => {
    await ask(200);
    const [usual, longest] = [await ask(256), await ask(1_500)];
    const patience = Object.fromEntries((await shownTo(slow)).map((job) => [job.jobId, job.patienceMs]));
    expect(patience[usual]).toBeGreaterThan(5_000);
    expect(patience[longest]).toBe(patience[usual]);
  });
});

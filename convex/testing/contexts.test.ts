import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  chat,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  fail,
  greeting,
  jobOf,
  modelId,
  type Organization,
  pass,
  signIn,
  startBackend,
  statusOf,
  submitWork,
  take,
  tryClaim,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;
let small: Device;
let large: Device;

/** A device whose memory allows `contextTokens` of the model's 8,192. */
async function addWithContext(name: string, contextTokens: number): Promise<Device> {
  const device = await addDevice(t, acme, name);
  await greet(device, contextTokens);
  await take(t, device);
  return device;
}

async function greet({ key }: Device, contextTokens: number): Promise<void> {
  const { capabilities, ...rest } = greeting();
  const contexts = [{ model: modelId, contextTokens }];
  await t.mutation(api.work.hello, { key, ...rest, capabilities: { ...capabilities, contexts } });
}

const ask = async (content: string, maxTokens: number): Promise<string> =>
  await submitWork(t, acme.apiKey, { kind: "chat", request: chat(content, { maxTokens }) });

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t, { contextTokens: 8_192 });
  small = await addWithContext("small", 2_304);
  large = await addWithContext("large", 8_192);
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

it("a device with a limit of its context gets no job that needs a longer one", async () => {
  const session = await signIn(t, acme);
  const limit = async (contextTokens: number) =>
    await t.mutation(api.console.devices.limit, {
      session,
      deviceId: large.deviceId,
      limits: { contextTokens },
    });
  await limit(2_304);
  const jobId = await ask("Hi", 4_000);
  expect(await take(t, large)).toEqual([]);
  await limit(8_192);
  await complete(t, large, await claim(t, large, jobId));
  expect(await statusOf(t, acme, jobId)).toBe("succeeded");
});

describe("a device with little memory", () => {
  it("gets the jobs whose prompt and answer certainly fit", async () => {
    const jobId = await ask("Hi", 1_024);
    await complete(t, small, await claim(t, small, jobId));
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
  });

  it.each([
    ["a long prompt", "long ".repeat(500), 64],
    ["a long answer", "Hi", 4_000],
  ])("does not get a job with %s", async (_, content, maxTokens) => {
    const jobId = await ask(content, maxTokens);
    expect(await take(t, small)).toEqual([]);
    expect(await tryClaim(t, small, jobId)).toEqual({ kind: "unable" });
    await complete(t, large, await claim(t, large, jobId));
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
  });

  it("leaves a job to others that turns out to need more, and does not end it", async () => {
    const jobId = await ask("Hi", 64);
    const error = { code: "context_too_small", message: "It does not fit.", unfit: true };
    await fail(t, small, await claim(t, small, jobId), error);
    await pass(t, 31_000);
    for (const { key } of [small, large]) await t.mutation(api.work.heartbeat, { key });
    expect(await jobOf(t, acme, jobId)).toMatchObject({ status: "ready" });
    expect(await tryClaim(t, small, jobId)).toEqual({ kind: "unable" });
    await complete(t, large, await claim(t, large, jobId));
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
  });

  it("gets long jobs as soon as its memory has become free", async () => {
    const jobId = await ask("Hi", 4_000);
    await greet(small, 8_192);
    await complete(t, small, await claim(t, small, jobId));
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  chat,
  claim,
  complete,
  countQueue,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  modelId,
  pass,
  statusOf,
  submit,
  submitWork,
  take,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const hourMs = 3_600_000;
const work = { kind: "chat" as const, request: chat() };
const balance = async () => (await listKeys(t, session))[0]?.balanceMicro;

/** Lets time pass, and runs what runs each minute. */
async function passUntil(ms: number): Promise<void> {
  await pass(t, ms);
  await countQueue(t);
}

it("a job that was answered before its start was reported ran from the claim on", async () => {
  // The queue hands a job to a device that waits, which may end it before it says that it began.
  const device = await addDevice(t, acme, "first");
  await submit(t, acme);
  for (const { attemptId } of await take(t, device)) await complete(t, device, attemptId);
  await take(t, device);
  for (let step = 0; step < 3; step += 1) await pass(t, 2_000);
  const jobId = await submitWork(t, acme.apiKey, work, { handOver: true });
  const [handed] = await t.query(api.work.handed, { key: device.key });
  await pass(t, 300);
  await complete(t, device, handed!.attemptId);
  const row = await t.query(api.console.jobs.get, { session, jobId });
  expect([row.startedAt! - row.submittedAt, row.finishedAt! - row.startedAt!]).toEqual([0, 300]);
});

describe("the time of a job", () => {
  it("is a day", async () => {
    const jobId = await submit(t, acme);
    await passUntil(23 * hourMs);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    await passUntil(hourMs);
    expect(await statusOf(t, acme, jobId)).toBe("expired");
  });

  it("is what the requester asks for, also while the job runs, and the credits are free again", async () => {
    const before = await balance();
    const device = await addDevice(t, acme, "first");
    await take(t, device);
    const jobId = await submitWork(t, acme.apiKey, work, { expiresInMs: 120_000 });
    await claim(t, device, jobId);
    await passUntil(110_000);
    await t.mutation(api.work.heartbeat, { key: device.key });
    await passUntil(10_000);
    expect(await statusOf(t, acme, jobId)).toBe("expired");
    expect(await balance()).toBe(before);
  });

  it("is at most ten minutes if nobody could find the answer later", async () => {
    const jobId = await submitWork(t, acme.apiKey, work, { endsWithCall: true, expiresInMs: hourMs });
    await passUntil(600_000);
    expect(await statusOf(t, acme, jobId)).toBe("expired");
  });

  it.each([9_999, 7 * 24 * hourMs + 1])("cannot be %d ms", async (expiresInMs) => {
    await expectRefusal(submitWork(t, acme.apiKey, work, { expiresInMs }), "invalid");
  });

  it.each(["9", "604801", "1.5", "soon", "-60"])("is refused as the header %s", async (value) => {
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${acme.apiKey}`,
      "gleaner-expires-in": value,
    };
    const body = JSON.stringify({ model: modelId, messages: [{ role: "user", content: "Hi" }] });
    const response = await t.fetch("/v1/chat/completions", { method: "POST", headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: "Gleaner-Expires-In" } });
  });
});

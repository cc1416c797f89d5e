import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { awayMs } from "../../app/jobs/chances.ts";
import { api } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  type Device,
  expectBooksInOrder,
  greeting,
  modelId,
  type Organization,
  pass,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"], shouldAdvanceTime: true });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(() => {
  vi.useRealTimers();
});

const chat = { model: modelId, messages: [{ role: "user", content: "Name a color." }] };

async function post(headers: Readonly<Record<string, string>> = {}, body: object = chat): Promise<Response> {
  return await t.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}`, ...headers },
    body: JSON.stringify(body),
  });
}

async function leave({ key }: Device): Promise<void> {
  await t.mutation(api.work.goodbye, { key });
}

/** A call that may wait ends after a second here. */
const briefly = { prefer: "wait=1" };

describe("a call that waits for its answer", () => {
  it("is refused at once in an organization without devices, and leaves nothing behind", async () => {
    for (const body of [chat, { ...chat, stream: true }]) {
      const response = await post({}, body);
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(await response.clone().text()).toContain("It has no devices.");
      await expectError(response, 503, { code: "no_device", type: "server_error" });
    }
    expect(await allJobs(t, acme)).toEqual([]);
    await expectBooksInOrder(t);
  });

  it("is accepted while its only device sleeps, and refused once the device was away for long, with the number of such devices", async () => {
    const device = await addDevice(t, acme);
    await addDevice(t, await addOrganization(t, { name: "Other" }));
    await leave(device);
    vi.setSystemTime(Date.now() + 14 * 3_600_000);
    await expectError(await post(briefly), 503, { code: "no_capacity" });
    vi.setSystemTime(Date.now() + awayMs);
    const response = await post(briefly);
    expect(await response.clone().text()).toContain("1 device could, but has not been online for 7 days");
    await expectError(response, 503, { code: "no_device" });
    await t.mutation(api.work.hello, { key: device.key, ...greeting() });
    await expectError(await post(briefly), 503, { code: "no_capacity" });
  });

  it("is refused if no device's memory holds the model, or all are out of service", async () => {
    const session = await signIn(t, acme);
    const device = await addDevice(t, acme, "small", []);
    await t.mutation(api.work.hello, {
      key: device.key,
      version: "0.1.0",
      capabilities: { kinds: ["chat"], models: [], memoryMb: 1, gpu: false },
      startup: false,
    });
    expect(await (await post(briefly)).text()).toContain("1 device has too little memory");
    await t.mutation(api.console.devices.retire, { session, deviceId: device.deviceId });
    const response = await post(briefly);
    expect(await response.clone().text()).toContain("1 device is paused, retired, outdated or not approved");
    await expectError(response, 503, { code: "no_device" });
  });

  it("gets the answer that it had before, even if no device is left", async () => {
    const device = await addDevice(t, acme);
    const headers = { "idempotency-key": "order-9" };
    const first = post(headers);
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    expect((await first).status).toBe(200);
    await leave(device);
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    const { organizationId } = acme;
    await t.run(async (ctx) => {
      const worker = (await queue.workers.byKey(ctx, device.key))!;
      await queue.workers.update(ctx, organizationId, { workerId: worker.workerId, status: "paused" });
    });
    expect((await post(headers)).status).toBe(200);
    await expectError(await post({ "idempotency-key": "order-10" }), 503, { code: "no_device" });
  });

  it("reads few devices of a large fleet", async () => {
    t = startBackend({ documentsRead: 400 });
    acme = await addOrganization(t);
    for (let n = 0; n < 30; n += 1) await addDevice(t, acme, `other ${String(n)}`, ["another"]);
    await addDevice(t, acme, "able");
    await expectError(await post(briefly), 503, { code: "no_capacity" });
  });
});

it("a call that does not wait is accepted without any device, and done when one comes", async () => {
  const response = await post({ prefer: "respond-async" });
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  const device = await addDevice(t, acme);
  await takeJob(t, device, async ({ jobId, complete }) => {
    expect(jobId).toBe(id);
    await complete("Blue.");
  });
  await pass(t, 10);
});

import { afterEach, beforeEach, expect, it } from "vitest";
import { type DeviceLimits, limitBounds } from "../../app/devices/limits.ts";
import { api } from "../_generated/api.js";
import {
  addDevice,
  type Backend,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  modelId,
  type Organization,
  submit,
  take,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

type Device = Awaited<ReturnType<typeof addDevice>>;

async function limit({ deviceId }: Device, limits: DeviceLimits): Promise<void> {
  await t.mutation(api.console.devices.limit, { session, deviceId, limits });
}

async function shown(): Promise<object | undefined> {
  const [row] = await listDevices(t, session);
  return row;
}

it("a device that may run no model gets no job until its limits are removed", async () => {
  const device = await addDevice(t, acme);
  const jobId = await submit(t, acme);
  await limit(device, { models: [] });
  expect(await shown()).toMatchObject({ limits: { models: [] }, capabilities: { models: [] } });
  expect(await t.query(api.devices.me, { key: device.key })).toMatchObject({ limits: { models: [] } });
  expect(await take(t, device)).toEqual([]);
  await limit(device, {});
  expect(await shown()).toMatchObject({ limits: null });
  expect(await t.query(api.devices.me, { key: device.key })).toMatchObject({ limits: null });
  expect(await take(t, device)).toMatchObject([{ jobId }]);
});

it("a limit on jobs at once holds back further jobs, and the running one goes on", async () => {
  const device = await addDevice(t, acme);
  const jobs = [await submit(t, acme), await submit(t, acme)];
  const running = await claim(t, device, jobs[0] ?? "");
  await limit(device, { maxConcurrentJobs: 1, models: [modelId] });
  expect(await shown()).toMatchObject({ capabilities: { concurrency: 1, prefetch: 0 } });
  await expect(take(t, device, 2)).rejects.toThrow("full");
  await complete(t, device, running);
  expect(await take(t, device, 2)).toMatchObject([{ jobId: jobs[1] }]);
});

it("limits of the GPU and of memory cut what the device offers", async () => {
  const device = await addDevice(t, acme);
  const capabilities = { kinds: ["chat"], models: [modelId], memoryMb: 16_000, gpu: true };
  await t.mutation(api.work.hello, { key: device.key, version: "0.1.0", capabilities, startup: false });
  await limit(device, { gpu: false, memoryMb: 8_192 });
  expect(await shown()).toMatchObject({ capabilities: { gpu: false, memoryMb: 8_192 } });
  // The report is kept, so it counts again without limits.
  await limit(device, {});
  expect(await shown()).toMatchObject({ capabilities: { gpu: true, memoryMb: 16_000 } });
});

it("a device that may run only embeddings gets no chat until its limits are removed", async () => {
  const device = await addDevice(t, acme);
  const jobId = await submit(t, acme);
  await limit(device, { kinds: ["embedding"] });
  expect(await shown()).toMatchObject({ limits: { kinds: ["embedding"] } });
  expect(await take(t, device)).toEqual([]);
  await limit(device, { kinds: ["embedding", "chat"] });
  expect(await take(t, device)).toMatchObject([{ jobId }]);
});

it("a retired device that is reinstated keeps its limits, and is told none while it is retired", async () => {
  const device = await addDevice(t, acme);
  const { deviceId, key } = device;
  await limit(device, { maxConcurrentJobs: 2 });
  await t.mutation(api.console.devices.retire, { session, deviceId });
  expect(await t.query(api.devices.me, { key })).toMatchObject({ limits: null });
  await t.mutation(api.console.devices.reinstate, { session, deviceId });
  expect(await t.query(api.devices.me, { key })).toMatchObject({ limits: { maxConcurrentJobs: 2 } });
});

it("a change of limits is in the audit trail", async () => {
  const device = await addDevice(t, acme);
  await limit(device, { gpu: false });
  const { page } = await t.query(api.console.audit.list, {
    session,
    paginationOpts: { numItems: 5, cursor: null },
  });
  expect(page[0]).toMatchObject({ action: "device.limited", subject: device.deviceId });
});

it.each<DeviceLimits>([
  { maxConcurrentJobs: 0 },
  { maxConcurrentJobs: 1.5 },
  { maxConcurrentJobs: limitBounds.maxConcurrentJobs + 1 },
  { memoryMb: 0 },
  { contextTokens: 0 },
  { contextTokens: limitBounds.contextTokens + 1 },
  { memoryMb: Number.NaN },
  { memoryMb: limitBounds.memoryMb + 1 },
  { models: [" "] },
  { models: Array.from({ length: limitBounds.models + 1 }, String) },
])("limits out of bounds are refused: %j", async (limits) => {
  const { deviceId } = await addDevice(t, acme);
  await expectRefusal(t.mutation(api.console.devices.limit, { session, deviceId, limits }), "invalid");
});

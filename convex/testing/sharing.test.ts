import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  type Organization,
  pass,
  signIn,
  startBackend,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;
const dayMs = 24 * 3_600_000;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

const sharing = async ({ key }: Device = device) => (await t.query(api.devices.me, { key })).sharing;

it("gives all devices of an organization one random sharing secret of their own", async () => {
  const ours = await sharing();
  expect(ours).toEqual({ secret: expect.stringMatching(/^[0-9a-f]{64}$/) as string, previous: null });
  expect(await sharing(await addDevice(t, acme, "second"))).toEqual(ours);
  const rival = await addOrganization(t, { name: "Rival" });
  expect((await sharing(await addDevice(t, rival)))?.secret).not.toBe(ours?.secret);
});

it("replaces the sharing secret after a week, and accepts the previous one for another day", async () => {
  const before = await sharing();
  await pass(t, 6 * dayMs);
  await t.mutation(internal.maintenance.rotateSharingSecrets, {});
  expect(await sharing()).toEqual(before);
  await pass(t, dayMs);
  await t.mutation(internal.maintenance.rotateSharingSecrets, {});
  const after = await sharing();
  expect(after?.secret).not.toBe(before?.secret);
  expect(after?.previous).toBe(before?.secret);
  await pass(t, dayMs);
  expect(await sharing()).toEqual({ secret: after?.secret, previous: null });
});

it("replaces the sharing secret when a device is retired, and accepts the previous one for ten minutes", async () => {
  const lost = await addDevice(t, acme, "lost");
  const before = await sharing(lost);
  const session = await signIn(t, acme);
  await t.mutation(api.console.devices.retire, { session, deviceId: lost.deviceId });
  expect(await sharing(lost)).toBeNull();
  const after = await sharing();
  expect(after).toMatchObject({ previous: before?.secret });
  await pass(t, 10 * 60_000);
  expect(await sharing()).toEqual({ secret: after?.secret, previous: null });
});

it("ends the grace period of one sharing secret without ending that of the next one", async () => {
  const session = await signIn(t, acme);
  const lost = [await addDevice(t, acme, "one"), await addDevice(t, acme, "two")] as const;
  await t.mutation(api.console.devices.retire, { session, deviceId: lost[0].deviceId });
  const between = await sharing();
  await pass(t, 9 * 60_000);
  await t.mutation(api.console.devices.retire, { session, deviceId: lost[1].deviceId });
  await pass(t, 60_000);
  expect((await sharing())?.previous).toBe(between?.secret);
});

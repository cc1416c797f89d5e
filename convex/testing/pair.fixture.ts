import { vi } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  claim,
  type Device,
  expectBooksInOrder,
  type Organization,
  pass,
  release,
  signIn,
  startBackend,
  submit,
  take,
} from "./backend.fixture.ts";

/** A backend with two devices that accept jobs. `passAlive` lets time pass in which both renew their leases. */
export type Pair = {
  readonly t: Backend;
  readonly acme: Organization;
  readonly session: string;
  /** The one that a test lets misbehave. */
  readonly bad: Device;
  readonly good: Device;
  readonly statusOfDevice: (device: Device) => Promise<string>;
  readonly beat: (device: Device) => Promise<void>;
  readonly passAlive: (ms: number) => Promise<void>;
};

/** The test sets the clock. */
export async function openPair(): Promise<Pair> {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const t = startBackend();
  const acme = await addOrganization(t, { contextTokens: 8_192 });
  const session = await signIn(t, acme);
  const [bad, good] = [await addDevice(t, acme, "bad"), await addDevice(t, acme, "good")];
  for (const device of [bad, good]) await take(t, device);
  // The lane exists from now on, so both are known to take its jobs.
  await release(t, bad, await claim(t, bad, await submit(t, acme)));
  await pass(t, 1_000);
  const beat = async ({ key }: Device) => {
    await t.mutation(api.work.heartbeat, { key });
  };
  return {
    t,
    acme,
    session,
    bad,
    good,
    beat,
    statusOfDevice: async ({ key }) => (await t.query(api.devices.me, { key })).status,
    passAlive: async (ms) => {
      for (let passed = 0; passed < ms; passed += 15_000) {
        await pass(t, Math.min(15_000, ms - passed));
        for (const device of [bad, good]) await beat(device);
      }
    },
  };
}

export async function closePair({ t }: Pick<Pair, "t">): Promise<void> {
  await expectBooksInOrder(t);
  vi.useRealTimers();
}

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  complete,
  countQueue,
  expectRefusal,
  type Organization,
  submit,
  take,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const nothing = { maxQueued: null, maxQueuedPerRequester: null, maxCallWaitMs: null, maxWaitMs: null };
const set = async (values: object) =>
  await t.mutation(api.console.queue.setSettings, { session, ...nothing, ...values });
const setByOperator = async (values: Record<string, number | null>, of: Organization | null = null) => {
  const organizationId = of?.organizationId ?? null;
  await t.mutation(internal.setup.setQueueSettings, { organizationId, values });
};
const inUse = async (of = acme) => await t.run(async (ctx) => await queue.settings(ctx, of.organizationId));
const latestAudit = async () => {
  const paginationOpts = { numItems: 1, cursor: null };
  const [latest] = (await t.query(api.console.audit.list, { session, paginationOpts })).page;
  return latest;
};

describe("an admin's settings of the queue", () => {
  it("limit the organization's queue, are audited, and can be undone", async () => {
    const before = await set({ maxQueued: 10 });
    expect(before).toEqual(nothing);
    expect(await t.query(api.console.queue.settings, { session })).toMatchObject({
      maxQueued: { own: 10, operators: 200_000 },
      maxQueuedPerRequester: { own: null, operators: 100_000 },
      maxCallWaitMs: { own: null, operators: 300_000 },
      maxWaitMs: { own: null, operators: 86_400_000 },
    });
    expect(await latestAudit()).toMatchObject({
      action: "queue-settings.changed",
      name: "Acme",
      detail: "maxQueued: default → 10",
    });
    for (let i = 0; i < 10; i += 1) await submit(t, acme);
    await countQueue(t);
    await expectRefusal(submit(t, acme), "queue_full");

    expect(await set(before)).toEqual({ ...nothing, maxQueued: 10 });
    expect(await inUse()).toMatchObject({ maxQueued: 200_000 });
    expect(await latestAudit()).toMatchObject({ detail: "maxQueued: 10 → default" });
  });

  it("show before they are saved which lanes and keys would be full", async () => {
    const reach = async (values: object) =>
      await t.query(api.console.queue.settingsReach, { session, ...nothing, ...values });
    const nowhere = { beyond: 0, over: { count: 0, exact: true } };
    expect(await reach({ maxQueued: 1 })).toMatchObject({ maxQueued: nowhere });
    for (let i = 0; i < 12; i += 1) await submit(t, acme);
    await take(t, await addDevice(t, acme));
    expect(await reach({ maxQueued: 10, maxQueuedPerRequester: 12 })).toMatchObject({
      maxQueued: { beyond: 1, over: { count: 1, exact: true } },
      maxQueuedPerRequester: nowhere,
    });
    expect(await reach({ maxQueuedPerRequester: 11 })).toMatchObject({
      maxQueued: nowhere,
      maxQueuedPerRequester: { beyond: 1, over: { count: 0, exact: true } },
    });
    expect(await inUse()).toMatchObject({ maxQueued: 200_000 });
  });

  it("bound the wait of calls: one that would wait longer is refused, and its caller told why", async () => {
    const device = await addDevice(t, acme);
    // Five jobs of a minute each.
    for (let i = 0; i < 5; i += 1) {
      await submit(t, acme);
      const [job] = await take(t, device);
      vi.setSystemTime(Date.now() + 60_000);
      await complete(t, device, job?.attemptId ?? "");
    }
    for (let i = 0; i < 4; i += 1) await submit(t, acme);
    await countQueue(t);
    const call = async () => await submit(t, acme, { endsWithCall: true });
    await call();
    await set({ maxCallWaitMs: 180_000 });
    await expectRefusal(call(), "queue_full");
    await expect(call()).rejects.toThrow(
      "This request would wait about 4 minutes, and requests of its priority may wait 3 minutes. Try again later, or at a higher priority.",
    );
    // Its caller may come back.
    await submit(t, acme);
    await set({});
    await call();
  });

  it("do not touch another organization's queue", async () => {
    const other = await addOrganization(t, { name: "Other" });
    await set({ maxQueued: 10 });
    expect(await inUse(other)).toMatchObject({ maxQueued: 200_000 });
  });

  it.each([
    { maxQueued: 9 },
    { maxQueued: 200_001 },
    { maxQueued: 10.5 },
    { maxQueuedPerRequester: 0 },
    { maxCallWaitMs: 59_999 },
  ])("refuse %o", async (values) => {
    await expectRefusal(set(values), "invalid");
    expect(await inUse()).toMatchObject({ maxQueued: 200_000, maxQueuedPerRequester: 100_000 });
  });

  it("write nothing if nothing changes", async () => {
    await set({});
    expect(await latestAudit()).not.toMatchObject({ action: "queue-settings.changed" });
  });
});

describe("an operator's settings of the queue", () => {
  it("apply to all organizations, bound what their admins may set, and return to the defaults", async () => {
    const before = await inUse();
    await setByOperator({ maxQueued: 500, leaseMs: 20_000 });
    expect(await inUse()).toMatchObject({ maxQueued: 500, leaseMs: 20_000 });
    expect(await latestAudit()).toMatchObject({
      actor: "setup",
      detail: "for all organizations: leaseMs: default → 20000; maxQueued: default → 500",
    });
    await expectRefusal(set({ maxQueued: 501 }), "invalid");
    await setByOperator({ leaseMs: null });
    expect(await inUse()).toMatchObject({ maxQueued: 500, leaseMs: 40_000 });
    await setByOperator({ maxQueued: null });
    expect(await inUse()).toEqual(before);
  });

  it("of one organization stay when its admin changes others, and do not apply elsewhere", async () => {
    const other = await addOrganization(t, { name: "Other" });
    await setByOperator({ maxBatchJobs: 7, maxQueued: 300_000 }, acme);
    await set({ maxQueued: 300_000, maxQueuedPerRequester: 30 });
    expect(await inUse()).toMatchObject({
      maxBatchJobs: 7,
      maxQueued: 300_000,
      maxQueuedPerRequester: 30,
    });
    expect(await inUse(other)).toMatchObject({ maxBatchJobs: 50_000 });
    const listed = await t.query(internal.setup.queueSettings, { organizationId: acme.organizationId });
    expect(listed).toContainEqual({ name: "maxBatchJobs", value: 7, own: 7 });
    expect(listed).toContainEqual({ name: "leaseMs", value: 40_000, own: null });
  });

  it.each([{ leaseMs: 1 }, { maxLanes: 65 }, { nothing: 1 }, { policy: 1 }])("refuse %o", async (values) => {
    await expectRefusal(setByOperator(values), "invalid");
  });
});

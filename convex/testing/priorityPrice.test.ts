import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { equalPrices, type JobPriority, type PriorityPrices } from "../../app/jobs/priority.ts";
import { api, internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  answerMicro,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  fail,
  jobOf,
  listKeys,
  pass,
  submit,
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

const keyIdOf = async () => (await t.query(internal.requests.identify, { apiKey: acme.apiKey })).keyId;

async function allow(highestPriority: JobPriority): Promise<void> {
  await t.mutation(api.console.keys.setRights, { session, keyId: await keyIdOf(), highestPriority });
}

async function setPrices(prices: PriorityPrices): Promise<void> {
  await t.mutation(api.console.models.setPriorityPrices, { session, ...prices });
}

async function orderOf(jobId: string): Promise<Doc<"orders">> {
  const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  const order = orders.find((each) => each.jobId === jobId);
  if (order === undefined) throw new Error("no order");
  return order;
}

const raise = async (jobId: string, priority: JobPriority) =>
  await t.mutation(api.requests.setPriority, { apiKey: acme.apiKey, jobId, priority });

async function balanceOf(): Promise<bigint> {
  const [key] = await listKeys(t, session);
  return key?.balanceMicro ?? 0n;
}

async function newestAudit() {
  const paginationOpts = { numItems: 1, cursor: null };
  return (await t.query(api.console.audit.list, { session, paginationOpts })).page[0];
}

describe("the highest priority of a key", () => {
  it("is any, as long as nobody limits it", async () => {
    expect(await listKeys(t, session)).toMatchObject([{ highestPriority: "high" }]);
    const jobId = await submit(t, acme, { priority: "high" });
    expect((await jobOf(t, acme, jobId)).priority).toBe("high");
  });

  it("refuses a submission above it, and names it", async () => {
    await allow("normal");
    expect(await newestAudit()).toMatchObject({
      action: "api-key.rights-changed",
      name: "first key",
      detail: "highest priority: high → normal",
    });
    await expectRefusal(submit(t, acme, { priority: "high" }), "priority_not_allowed");
    await expect(submit(t, acme, { priority: "high" })).rejects.toThrow(
      /normal priority at most, not for high/,
    );
    expect(await t.run(async (ctx) => await ctx.db.query("orders").collect())).toEqual([]);
    const jobId = await submit(t, acme, { priority: "low" });
    expect((await jobOf(t, acme, jobId)).priority).toBe("low");
  });

  it("lowers a request that asks for none", async () => {
    await allow("low");
    expect((await jobOf(t, acme, await submit(t, acme))).priority).toBe("low");
    expect((await jobOf(t, acme, await submit(t, acme, { priority: "normal" }))).priority).toBe("low");
  });

  it("refuses a raise above it, by the requester and by an admin", async () => {
    await allow("normal");
    const jobId = await submit(t, acme, { priority: "low" });
    await expectRefusal(raise(jobId, "high"), "priority_not_allowed");
    const asAdmin = { session, jobId, priority: "high" } as const;
    await expectRefusal(t.mutation(api.console.jobs.setPriority, asAdmin), "priority_not_allowed");
    expect((await jobOf(t, acme, jobId)).priority).toBe("low");
    expect(await raise(jobId, "normal")).toMatchObject({ kind: "changed" });
  });

  it("finds the job of a repeated request after the limit was lowered", async () => {
    const request = { priority: "high", idempotencyKey: "one" } as const;
    const jobId = await submit(t, acme, request);
    await allow("normal");
    expect(await submit(t, acme, request)).toBe(jobId);
  });

  it("is set for keys of the own organization only", async () => {
    const other = await addOrganization(t, { name: "Other" });
    const { keyId } = await t.query(internal.requests.identify, { apiKey: other.apiKey });
    const call = t.mutation(api.console.keys.setRights, { session, keyId, highestPriority: "low" });
    await expectRefusal(call, "not_found");
  });
});

describe("the price of a priority", () => {
  const prices = { low: 50, normal: 100, high: 250 };

  it("is no other price, as long as nobody sets one", async () => {
    expect(await t.query(api.console.models.priorityPrices, { session })).toEqual(equalPrices);
    const reserved = [];
    for (const priority of ["low", "normal", "high"] as const)
      reserved.push((await orderOf(await submit(t, acme, { priority }))).reservedMicro);
    expect(new Set(reserved)).toHaveLength(1);
  });

  it("is audited, bounded and not lower for a higher priority", async () => {
    await setPrices(prices);
    expect(await t.query(api.console.models.priorityPrices, { session })).toEqual(prices);
    expect(await newestAudit()).toMatchObject({
      action: "prices.changed",
      detail: "low (%): 100 → 50; high (%): 100 → 250",
    });
    await expectRefusal(setPrices({ ...prices, high: 1_001 }), "invalid");
    await expectRefusal(setPrices({ ...prices, low: 101 }), "invalid");
  });

  it("is undone by the prices before, and an unchanged price leaves no trace", async () => {
    const before = await t.mutation(api.console.models.setPriorityPrices, { session, ...prices });
    expect(before).toEqual(equalPrices);
    const changed = await newestAudit();
    expect(await t.mutation(api.console.models.setPriorityPrices, { session, ...prices })).toEqual(prices);
    expect(await newestAudit()).toEqual(changed);
    await setPrices(before);
    expect(await t.query(api.console.models.priorityPrices, { session })).toEqual(equalPrices);
    expect(await newestAudit()).toMatchObject({ detail: "low (%): 50 → 100; high (%): 250 → 100" });
  });

  it("is reserved, and paid to the device", async () => {
    const usual = (await orderOf(await submit(t, acme))).reservedMicro;
    await setPrices(prices);
    const device = await addDevice(t, acme);
    for (const [priority, percent] of [
      ["high", 250n],
      ["low", 50n],
      ["normal", 100n],
    ] as const) {
      const before = await balanceOf();
      const jobId = await submit(t, acme, { priority });
      expect((await orderOf(jobId)).reservedMicro).toBe((usual * percent) / 100n);
      expect(await balanceOf()).toBe(before - (usual * percent) / 100n);
      const earnedMicro = (answerMicro * percent) / 100n;
      expect(await complete(t, device, await claim(t, device, jobId))).toMatchObject({
        kind: "completed",
        reply: { earnedMicro },
      });
      expect(await balanceOf()).toBe(before - earnedMicro);
      const view = await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId });
      expect(view).toMatchObject({ priceMicro: earnedMicro, pricePercent: Number(percent) });
    }
    await pass(t, 60_000);
  });

  it("follows the highest priority that the job has had", async () => {
    await setPrices(prices);
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme, { priority: "low" });
    const { reservedMicro } = await orderOf(jobId);
    const before = (await balanceOf()) + reservedMicro;
    await raise(jobId, "high");
    expect(await orderOf(jobId)).toMatchObject({ reservedMicro: reservedMicro * 5n, pricePercent: 250 });
    expect(await balanceOf()).toBe(before - reservedMicro * 5n);
    await raise(jobId, "low");
    await setPrices({ ...prices, high: 1_000 });
    await raise(jobId, "high");
    expect(await balanceOf()).toBe(before - reservedMicro * 5n);
    await complete(t, device, await claim(t, device, jobId));
    expect(await balanceOf()).toBe(before - (answerMicro * 250n) / 100n);
  });

  it("is given back whole when a raised job is canceled", async () => {
    await setPrices(prices);
    const before = await balanceOf();
    const jobId = await submit(t, acme);
    await raise(jobId, "high");
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    expect(await balanceOf()).toBe(before);
  });

  it("is reserved again when a raised dead letter is retried", async () => {
    await setPrices(prices);
    const device = await addDevice(t, acme);
    const before = await balanceOf();
    const jobId = await submit(t, acme);
    await raise(jobId, "high");
    const { reservedMicro } = await orderOf(jobId);
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    expect(await balanceOf()).toBe(before);
    expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({ kind: "ready" });
    expect(await balanceOf()).toBe(before - reservedMicro);
    await complete(t, device, await claim(t, device, jobId));
    expect(await balanceOf()).toBe(before - (answerMicro * 250n) / 100n);
  });

  it("refuses a raise for which the key has too few credits", async () => {
    const usual = (await orderOf(await submit(t, acme))).reservedMicro;
    const poor = await addOrganization(t, { name: "Poor", creditsMicro: usual * 2n });
    const jobId = await submit(t, poor);
    await t.run(async (ctx) => {
      await ctx.db.patch("organizations", poor.organizationId, { priorityPrices: { ...prices, high: 201 } });
    });
    const toHigh = { apiKey: poor.apiKey, jobId, priority: "high" } as const;
    await expectRefusal(t.mutation(api.requests.setPriority, toHigh), "quota_exceeded");
    expect((await jobOf(t, poor, jobId)).priority).toBe("normal");
    await t.run(async (ctx) => {
      await ctx.db.patch("organizations", poor.organizationId, { priorityPrices: { ...prices, high: 200 } });
    });
    expect(await t.mutation(api.requests.setPriority, toHigh)).toMatchObject({ kind: "changed" });
  });

  it("does not change for a job that a device has started", async () => {
    await setPrices(prices);
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const { reservedMicro } = await orderOf(jobId);
    await claim(t, device, jobId);
    expect(await raise(jobId, "high")).toEqual({ kind: "not-queued" });
    expect(await orderOf(jobId)).toMatchObject({ reservedMicro });
  });
});

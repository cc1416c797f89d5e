import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  fail,
  type Organization,
  signIn,
  startBackend,
  submit,
} from "../../testing/backend.fixture.ts";
import { present } from "../load.ts";
import { keyAccount } from "./accounts.ts";
import { balanceOf } from "./balance.ts";
import { releaseReservation, settle } from "./settle.ts";
import { totalsOf } from "./totals.ts";
import { transfer } from "./transfer.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

async function project(t: Backend): Promise<void> {
  vi.setSystemTime(Date.now() + 60_000);
  await t.mutation(internal.maintenance.project, {});
}

async function keyBalance(t: Backend): Promise<bigint> {
  return await t.run(async (ctx) => {
    const key = await ctx.db.query("apiKeys").first();
    if (key === null) throw new Error("no key");
    return (await balanceOf(ctx, keyAccount(key._id))).micro;
  });
}

describe("transfer", () => {
  it("books once under a key, and nothing that does not sum to zero", async () => {
    const t = startBackend();
    const { organizationId } = await addOrganization(t, { creditsMicro: 0n });
    const booking = {
      key: "test:1",
      organizationId,
      kind: "issue",
      at: 1,
      entries: [
        { account: `issuance:${organizationId}`, micro: -5n },
        { account: `escrow:${organizationId}`, micro: 5n },
      ],
    } as const;
    expect(await t.run(async (ctx) => await transfer(ctx, booking))).toBe("booked");
    expect(await t.run(async (ctx) => await transfer(ctx, booking))).toBe("repeated");
    const report = await t.query(internal.setup.ledgerCheck, {});
    expect(report.byAccountKind).toEqual({ issuance: -5n, key: 0n, escrow: 5n, device: 0n });
    const unbalanced = { ...booking, key: "test:2", entries: booking.entries.slice(0, 1) };
    await expect(t.run(async (ctx) => await transfer(ctx, unbalanced))).rejects.toThrow("is off by -5");
  });
});

describe("a job's money", () => {
  it("is reserved, then settled at the true price", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 10_000n });
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    expect(await keyBalance(t)).toBe(10_000n - 580n);
    await complete(t, device, await claim(t, device, jobId));
    expect(await keyBalance(t)).toBe(10_000n - answerMicro);
    expect((await t.query(internal.setup.ledgerCheck, {})).byAccountKind).toEqual({
      issuance: -10_000n,
      key: 10_000n - answerMicro,
      escrow: 0n,
      device: answerMicro,
    });
  });

  it("comes back whole when the job fails for good or is canceled", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 10_000n });
    const device = await addDevice(t, acme);
    await fail(t, device, await claim(t, device, await submit(t, acme)), false);
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId: await submit(t, acme) });
    expect(await keyBalance(t)).toBe(10_000n);
    await expectBooksInOrder(t);
  });

  it("cannot be paid twice, nor paid and released, whoever asks", async () => {
    const t = startBackend();
    const acme = await addOrganization(t);
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    const usage = { promptTokens: 1, completionTokens: 1 };
    const again = async (close: (ctx: MutationCtx, job: Doc<"jobs">) => Promise<unknown>) =>
      await t.run(async (ctx) => {
        await close(ctx, present(await ctx.db.get("jobs", jobId), "job"));
      });
    await expect(again((ctx, job) => settle(ctx, job, device.deviceId, usage, 1))).rejects.toThrow("already");
    await expect(again((ctx, job) => releaseReservation(ctx, job, 1))).rejects.toThrow("already");
    await expectBooksInOrder(t);
  });

  it("is refused once the projected balance does not cover the worst case", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 1_000n });
    await submit(t, acme);
    await project(t);
    await expectRefusal(submit(t, acme), "quota_exceeded");
    await expectBooksInOrder(t);
  });

  it("is what the console and the device show, before and after the projection", async () => {
    const t = startBackend();
    const acme = await addOrganization(t);
    const device = await addDevice(t, acme);
    const session = await signIn(t, acme);
    for (let i = 0; i < 3; i += 1) await complete(t, device, await claim(t, device, await submit(t, acme)));
    const since = Date.now();
    const shown = async () => ({
      summary: await t.query(api.admin.summary, { session }),
      earnings: await t.query(api.devices.earnings, { deviceKey: device.deviceKey, since }),
      keys: (await t.query(api.admin.keys, { session })).map(({ balanceMicro }) => balanceMicro),
    });
    const before = await shown();
    expect(before.earnings).toEqual({
      balanceMicro: 3n * answerMicro,
      todayMicro: 3n * answerMicro,
      jobsSucceeded: 3,
    });
    expect(before.summary).toMatchObject({
      succeeded: 3,
      ledgerSum: 0n,
      spentMicro: 3n * answerMicro,
      earnedMicro: 3n * answerMicro,
    });
    await project(t);
    expect(await t.run(async (ctx) => await ctx.db.query("ledgerPending").take(1))).toEqual([]);
    expect(await shown()).toEqual(before);
    const tomorrow = await t.query(api.devices.earnings, {
      deviceKey: device.deviceKey,
      since: since + 24 * 3_600_000,
    });
    expect(tomorrow).toMatchObject({ balanceMicro: 3n * answerMicro, todayMicro: 0n });
  });

  it("is shown as balanced however many keys and devices share it", async () => {
    const t = startBackend();
    const acme = await addOrganization(t);
    const session = await signIn(t, acme);
    const { organizationId } = acme;
    const keys = 2_500;
    // As folded before totals were kept.
    await t.run(async (ctx) => {
      const put = async (account: string, balanceMicro: bigint) =>
        await ctx.db.insert("accounts", { organizationId, account, balanceMicro, jobs: 0 });
      for (let i = 0; i < keys; i += 1) await put(`key:test-${String(i)}`, 1n);
      await put(`device:test`, -BigInt(keys));
      const row = present(await ctx.db.query("ledgerTotals").unique(), "row of totals");
      await ctx.db.delete("ledgerTotals", row._id);
    });
    await submit(t, acme);
    const expected = { ledgerSum: 0n, earnedMicro: -BigInt(keys) };
    expect(await t.query(api.admin.summary, { session })).toMatchObject(expected);
    await project(t);
    expect(await t.query(api.admin.summary, { session })).toMatchObject(expected);
    const { byKind } = await t.run(async (ctx) => await totalsOf(ctx, organizationId));
    expect(await t.run(async (ctx) => await ctx.db.query("ledgerTotals").collect())).toMatchObject([
      { byKind },
    ]);
  });

  it("is folded in batches, whole transfers at a time", async () => {
    const t = startBackend();
    const acme = await addOrganization(t);
    for (let i = 0; i < 70; i += 1) await submit(t, acme);
    vi.setSystemTime(Date.now() + 60_000);
    await t.mutation(internal.maintenance.project, {});
    const sum = async () =>
      await t.run(async (ctx) =>
        (await ctx.db.query("accounts").take(100)).reduce((total, row) => total + row.balanceMicro, 0n),
      );
    expect(await sum()).toBe(0n);
    expect(await t.run(async (ctx) => (await ctx.db.query("ledgerPending").take(200)).length)).toBe(40);
    await t.finishAllScheduledFunctions(vi.runAllTimers);
    expect(await t.run(async (ctx) => await ctx.db.query("ledgerPending").take(1))).toEqual([]);
    expect(await sum()).toBe(0n);
  });
});

/** Claims weigh more, or most other steps would find nothing to do. */
const step = fc.record({
  kind: fc.constantFrom(
    ...(["submit", "project", "silence", "claim", "claim", "complete", "fail", "failForGood"] as const),
    ...(["release", "cancel", "again"] as const),
  ),
  pick: fc.nat(20),
  first: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays random steps, late and wrong ones included, as a fleet that misbehaves would. */
class Fleet {
  readonly t: Backend;
  readonly acme: Organization;
  readonly devices: readonly [Device, Device];
  readonly jobs: Id<"jobs">[] = [];
  readonly attempts: Id<"attempts">[] = [];

  constructor(t: Backend, acme: Organization, devices: readonly [Device, Device]) {
    this.t = t;
    this.acme = acme;
    this.devices = devices;
  }

  async play(step: Step): Promise<void> {
    const { t, acme } = this;
    if (step.kind === "submit") {
      this.jobs.push(await submit(t, acme));
      return;
    }
    if (step.kind === "project") {
      await project(t);
      return;
    }
    if (step.kind === "silence") {
      vi.advanceTimersByTime(31_000);
      await t.finishInProgressScheduledFunctions();
      return;
    }
    const device = this.devices[step.first ? 0 : 1];
    const { deviceKey } = device;
    const jobId = this.jobs[step.pick % Math.max(1, this.jobs.length)];
    const attemptId = this.attempts[step.pick % Math.max(1, this.attempts.length)];
    if (step.kind === "claim" || step.kind === "cancel") {
      if (jobId === undefined) return;
      if (step.kind === "cancel") {
        await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
        return;
      }
      const outcome = await t.mutation(api.work.claim, { deviceKey, jobId });
      if (outcome.kind === "claimed") this.attempts.push(outcome.attemptId);
      return;
    }
    if (attemptId === undefined) return;
    if (step.kind === "release") {
      await t.mutation(api.work.release, { deviceKey, attemptId, reason: "in-use" });
    } else if (step.kind === "fail" || step.kind === "failForGood") {
      await fail(t, device, attemptId, step.kind === "fail");
    } else {
      const outcome = await complete(t, device, attemptId, { wantsNext: step.kind === "again" });
      if (outcome.kind === "settled" && outcome.next !== null) this.attempts.push(outcome.next.attemptId);
    }
  }
}

describe("whatever happens", () => {
  it("sums to zero after every step, and pays no job twice", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const t = startBackend();
        const acme = await addOrganization(t);
        const devices = [await addDevice(t, acme, "a"), await addDevice(t, acme, "b")] as const;
        const fleet = new Fleet(t, acme, devices);
        const session = await signIn(t, acme);
        for (const step of steps) {
          await fleet.play(step);
          await expectBooksInOrder(t);
        }
        const summary = await t.query(api.admin.summary, { session });
        expect(summary.ledgerSum).toBe(0n);
        expect(summary.earnedMicro).toBe(BigInt(summary.succeeded) * answerMicro);
        expect(summary.spentMicro).toBe(summary.earnedMicro);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeHeldMs } from "../../../app/jobs/limits.ts";
import { api, internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import {
  addDevice,
  addOrganization,
  allJobs,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  fail,
  listKeys,
  type Organization,
  pass,
  release,
  signIn,
  startBackend,
  submit,
  tryClaim,
} from "../../testing/backend.fixture.ts";
import { orderOf } from "../orders/orders.ts";
import { present } from "../refuse.ts";
import { balanceOf } from "./balance.ts";
import { releaseReservation, settle } from "./reservations.ts";
import { totalsOf } from "./totals.ts";
import { keyAccount, transfer } from "./transfer.ts";

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
  it("books a transfer once per key, and refuses one that does not sum to zero", async () => {
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
    expect(report.byAccountKind).toMatchObject({ issuance: -5n, key: 0n, escrow: 5n, device: 0n });
    const unbalanced = { ...booking, key: "test:2", entries: booking.entries.slice(0, 1) };
    await expect(t.run(async (ctx) => await transfer(ctx, unbalanced))).rejects.toThrow("is off by -5");
  });
});

describe("a job's money", () => {
  it("reserves the highest price of a job, then settles at the true price", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 10_000n });
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    expect(await keyBalance(t)).toBe(10_000n - 580n);
    await complete(t, device, await claim(t, device, jobId));
    expect(await keyBalance(t)).toBe(10_000n - answerMicro);
    expect((await t.query(internal.setup.ledgerCheck, {})).byAccountKind).toMatchObject({
      issuance: -10_000n,
      key: 10_000n - answerMicro,
      escrow: 0n,
      device: answerMicro,
    });
  });

  it("returns the reservation to the key when the job fails for good or is canceled", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 10_000n });
    const device = await addDevice(t, acme);
    await fail(t, device, await claim(t, device, await submit(t, acme)), { retryable: false });
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId: await submit(t, acme) });
    expect(await keyBalance(t)).toBe(10_000n);
    await expectBooksInOrder(t);
  });

  it("never pays a job twice, nor pays and releases it", async () => {
    const t = startBackend();
    const acme = await addOrganization(t);
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    const usage = { promptTokens: 1, completionTokens: 1 };
    const again = async (close: (ctx: MutationCtx, order: Doc<"orders">) => Promise<unknown>) =>
      await t.run(async (ctx) => {
        await close(ctx, present(await orderOf(ctx, jobId), "order"));
      });
    const finisher = { deviceId: device.deviceId, isOwn: false, bonusMicro: 0n, isHeld: false };
    await expect(again((ctx, order) => settle(ctx, order, finisher, usage, 1))).rejects.toThrow("already");
    await expect(again((ctx, order) => releaseReservation(ctx, order, "failed", 1))).rejects.toThrow(
      "already",
    );
    await expectBooksInOrder(t);
  });

  it("refuses a job when the projected balance does not cover its highest price", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 1_000n });
    await submit(t, acme);
    await project(t);
    await expectRefusal(submit(t, acme), "quota_exceeded");
    await expect(submit(t, acme)).rejects.toThrow(
      "The request may cost up to 0.00058 credits (98 tokens in × 0.002 + 64 out × 0.006 credits per 1,000, price version 1.0), but the API key has 0.00042. An administrator can give it more.",
    );
    await expectBooksInOrder(t);
  });

  it("reserves again when a dead letter is retried, and pays it once", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 1_000n });
    const device = await addDevice(t, acme);
    const session = await signIn(t, acme);
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    expect(await keyBalance(t)).toBe(1_000n);
    const retry = async () => await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    expect(await retry()).toEqual({ kind: "ready" });
    expect(await keyBalance(t)).toBe(1_000n - 580n);
    expect(await retry()).toEqual({ kind: "not-dead" });
    expect(await keyBalance(t)).toBe(1_000n - 580n);
    await complete(t, device, await claim(t, device, jobId));
    expect(await keyBalance(t)).toBe(1_000n - answerMicro);
    expect(await retry()).toEqual({ kind: "not-dead" });
    await expectBooksInOrder(t);
    expect(await t.query(api.console.overview.summary, { session })).toMatchObject({
      succeeded: 1,
      failed: 1,
    });
  });

  it("retries only as many dead letters as the key can pay for", async () => {
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro: 1_300n });
    const device = await addDevice(t, acme);
    const session = await signIn(t, acme);
    for (let i = 0; i < 3; i += 1) {
      await fail(t, device, await claim(t, device, await submit(t, acme)), { retryable: false });
    }
    // 580 each: enough for two of the three.
    await t.mutation(api.console.jobs.retryAllSoon, { session });
    await pass(t, changeHeldMs);
    expect(await keyBalance(t)).toBe(1_300n - 2n * 580n);
    const dead = (await allJobs(t, acme)).filter(({ status }) => status === "failed");
    expect(dead).toHaveLength(1);
    const jobId = dead[0]?.jobId ?? "";
    expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({
      kind: "quota-exceeded",
    });
    await expectBooksInOrder(t);
  });

  it("shows the same amounts in the console and on the device, before and after the projection", async () => {
    const t = startBackend();
    const acme = await addOrganization(t);
    const device = await addDevice(t, acme);
    const session = await signIn(t, acme);
    for (let i = 0; i < 3; i += 1) await complete(t, device, await claim(t, device, await submit(t, acme)));
    const since = Date.now();
    const shown = async () => ({
      summary: await t.query(api.console.overview.summary, { session }),
      earnings: await t.query(api.devices.earnings, { key: device.key, since }),
      keys: (await listKeys(t, session)).map(({ balanceMicro }) => balanceMicro),
    });
    const before = await shown();
    expect(before.earnings).toEqual({
      balanceMicro: 3n * answerMicro,
      todayMicro: 3n * answerMicro,
      todayJobs: 3,
      jobsSucceeded: 3,
      checks: null,
    });
    expect(before.summary).toMatchObject({
      succeeded: 3,
      money: { ledgerSum: 0n, spentMicro: 3n * answerMicro, earnedMicro: 3n * answerMicro },
    });
    await project(t);
    expect(await t.run(async (ctx) => await ctx.db.query("ledgerPending").take(1))).toEqual([]);
    expect(await shown()).toEqual(before);
    const tomorrow = await t.query(api.devices.earnings, {
      key: device.key,
      since: since + 24 * 3_600_000,
    });
    expect(tomorrow).toMatchObject({ balanceMicro: 3n * answerMicro, todayMicro: 0n, todayJobs: 0 });
  });

  it("shows a balanced ledger for any number of keys and devices", async () => {
    const t = startBackend();
    const acme = await addOrganization(t);
    const session = await signIn(t, acme);
    const { organizationId } = acme;
    const keys = 2_500;
    // Accounts from before the table of totals existed.
    await t.run(async (ctx) => {
      const put = async (account: string, balanceMicro: bigint) =>
        await ctx.db.insert("accounts", { organizationId, account, balanceMicro, jobs: 0 });
      for (let i = 0; i < keys; i += 1) await put(`key:test-${String(i)}`, 1n);
      await put(`device:test`, -BigInt(keys));
      const row = present(await ctx.db.query("ledgerTotals").unique(), "row of totals");
      await ctx.db.delete("ledgerTotals", row._id);
    });
    await submit(t, acme);
    const expected = { money: { ledgerSum: 0n, earnedMicro: -BigInt(keys) } };
    expect(await t.query(api.console.overview.summary, { session })).toMatchObject(expected);
    await project(t);
    expect(await t.query(api.console.overview.summary, { session })).toMatchObject(expected);
    const { byKind } = await t.run(async (ctx) => await totalsOf(ctx, organizationId));
    expect(await t.run(async (ctx) => await ctx.db.query("ledgerTotals").collect())).toMatchObject([
      { byKind },
    ]);
  });

  it("projects transfers in batches, each as a whole", async () => {
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

/** Micro-credits that each job reserves. */
const reservedMicro = 580n;

/** Submissions and claims are more likely, because most other steps need a job or an attempt. */
const step = fc.record({
  kind: fc.constantFrom(
    ...(["submit", "submit", "take", "take", "claim", "complete", "complete", "again"] as const),
    ...(["fail", "failForGood", "failForGood", "release", "cancel", "retry", "retryAll"] as const),
    ...(["silence", "project"] as const),
  ),
  pick: fc.nat(20),
  first: fc.boolean(),
  /** Whether the wrong device ends an attempt. */
  stranger: fc.nat(4).map((roll) => roll === 0),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays random steps, including late and wrong ones, like a fleet that misbehaves. */
class Fleet {
  readonly t: Backend;
  readonly acme: Organization;
  readonly session: string;
  readonly devices: readonly [Device, Device];
  readonly jobs: string[] = [];
  readonly attempts: { readonly attemptId: string; readonly first: boolean }[] = [];

  constructor(t: Backend, acme: Organization, session: string, devices: readonly [Device, Device]) {
    this.t = t;
    this.acme = acme;
    this.session = session;
    this.devices = devices;
  }

  async play(step: Step): Promise<void> {
    const { t, acme, session } = this;
    // Picks among the latest, because most of the others have ended.
    const jobId = this.jobs.at(-1 - (step.pick % Math.max(1, this.jobs.length)));
    const attempt = this.attempts.at(-1 - (step.pick % Math.min(4, Math.max(1, this.attempts.length))));
    switch (step.kind) {
      case "submit":
        this.jobs.push(await submit(t, acme));
        return;
      case "project":
        await project(t);
        return;
      case "silence":
        // Longer than a lease and any backoff.
        await pass(t, 41_000);
        return;
      case "take": {
        const { key } = this.#device(step.first);
        const outcome = await t.mutation(api.work.take, { key, demand: { jobs: 1 } });
        if (outcome.kind === "ok") this.#note(outcome.jobs, step.first);
        return;
      }
      case "retryAll":
        await t.mutation(api.console.jobs.retryAllSoon, { session });
        await pass(t, changeHeldMs);
        return;
      case "claim":
      case "cancel":
      case "retry":
        if (jobId !== undefined) await this.#withJob(step.kind, step.first, jobId);
        return;
      default:
        if (attempt !== undefined) {
          await this.#withAttempt(step.kind, attempt.first !== step.stranger, attempt.attemptId);
        }
    }
  }

  #note(jobs: readonly { readonly attemptId: string }[], first: boolean): void {
    this.attempts.push(...jobs.map(({ attemptId }) => ({ attemptId, first })));
  }

  #device(first: boolean): Device {
    return this.devices[first ? 0 : 1];
  }

  async #withJob(kind: "claim" | "cancel" | "retry", first: boolean, jobId: string): Promise<void> {
    const { t, acme, session } = this;
    if (kind === "cancel") {
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    } else if (kind === "retry") {
      await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    } else {
      const outcome = await tryClaim(t, this.#device(first), jobId);
      if (outcome.kind === "claimed") this.#note([outcome.job], first);
    }
  }

  async #withAttempt(
    kind: "release" | "fail" | "failForGood" | "complete" | "again",
    first: boolean,
    attemptId: string,
  ): Promise<void> {
    const { t } = this;
    const device = this.#device(first);
    if (kind === "release") {
      await release(t, device, attemptId);
    } else if (kind === "fail" || kind === "failForGood") {
      await fail(t, device, attemptId, { retryable: kind === "fail" });
    } else {
      const outcome = await complete(t, device, attemptId, { wanted: kind === "again" ? 1 : 0 });
      this.#note(outcome.jobs, first);
    }
  }
}

describe("any sequence of steps", () => {
  it("keeps the ledger at zero after every step, and pays no job twice", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        const t = startBackend();
        const acme = await addOrganization(t);
        const devices = [await addDevice(t, acme, "a"), await addDevice(t, acme, "b")] as const;
        const session = await signIn(t, acme);
        const fleet = new Fleet(t, acme, session, devices);
        for (const step of steps) {
          await fleet.play(step);
          await expectBooksInOrder(t);
          const open = (await allJobs(t, acme)).filter(({ finishedAt }) => finishedAt === null);
          const { byAccountKind } = await t.query(internal.setup.ledgerCheck, {});
          expect(byAccountKind.escrow).toBe(BigInt(open.length) * reservedMicro);
        }
        const summary = await t.query(api.console.overview.summary, { session });
        const succeeded = (await allJobs(t, acme)).filter(({ status }) => status === "succeeded").length;
        expect(summary.succeeded).toBe(succeeded);
        const earnedMicro = BigInt(succeeded) * answerMicro;
        expect(summary.money).toEqual({ ledgerSum: 0n, earnedMicro, spentMicro: earnedMicro });
      }),
      { numRuns: 12 },
    );
  });
});

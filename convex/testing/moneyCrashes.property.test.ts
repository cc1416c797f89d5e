import { ConvexError } from "convex/values";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { sumOfLots } from "../../app/credits/lots.ts";
import { isFinal } from "../../app/jobs/states.ts";
import { boundClassOf } from "../../app/money/likely.ts";
import { api, internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { HolderId } from "../model/credits/holders.ts";
import { lotsOf } from "../model/ledger/balance.ts";
import { availableOf } from "../model/ledger/holds.ts";
import { kindOf } from "../model/ledger/transfer.ts";
import { paidByKey } from "../model/orders/orders.ts";
import type { Owner } from "../model/owners.ts";
import {
  addOrganization,
  allJobs,
  answerMicro,
  type Backend,
  chat,
  claim,
  complete,
  countQueue,
  type Device,
  expectBooksInOrder,
  fail,
  modelId,
  type Organization,
  pass,
  payloadOf,
  release,
  signIn,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import {
  addChecker,
  answerText,
  checkerGreeting,
  chooseMode,
  fitting,
  leaveUnchecked,
  noise,
  odd,
  report,
} from "./checks.fixture.ts";
import { joinAs, sessionFor } from "./people.fixture.ts";

/** The longest prompt and answer that are paid, and their price. */
const longest = { text: "x".repeat(400), usage: { promptTokens: 98, completionTokens: 64 } };
const mostMicro = 580n;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Each is one mutation of somebody, or of a cron. `who`, `what` and `tenths` choose whose, which and how much. */
const kinds = [
  "job",
  "job",
  "job",
  "job",
  "submit",
  "submit",
  "take",
  "take",
  "complete",
  "complete",
  "fail",
  "fail-for-good",
  "release",
  "cancel",
  "prioritize",
  "retry",
  "dispute",
  "dispute",
  "refund",
  "refund",
  "give",
  "give-to-team",
  "to-key",
  "to-key",
  "team-to-key",
  "team-to-key",
  "ask-payout",
  "ask-payout",
  "approve-payout",
  "refuse-payout",
  "withdraw-payout",
  "change-credits",
  "grant",
  "grant",
  "take-back",
  "hand-over",
  "own-key",
  "allowance",
  "allowance",
  "project",
  "project",
  "count",
  "expire",
  "renew",
  "check-queue",
  "wait",
  "wait-days",
  "checked-job",
  "checked-job",
  "checked-job",
  "check",
  "check",
  "check",
  "check",
  "check",
  "check",
  "canary",
  "mode",
  "release-pay",
  "resume",
  "end-checks",
] as const;

/** The reports of checkers. Two of noise about one answer find it wrong. */
const checkReports = [fitting, noise, noise, odd] as const;
/** An organization's mode of checks. Mostly it acts, so that pay is held. */
const modes = ["act", "act", "watch", "off"] as const;

const anyAct = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(5),
  what: fc.nat(30),
  /** Tenths of the pay for an answer. */
  tenths: fc.integer({ min: 1, max: 40 }),
  /** Whether the caller sends it again, since it did not get the answer. */
  again: fc.boolean(),
  /**
   * After so many steps that it scheduled the backend ends, and forgets the rest. Null: it runs on. Convex itself forgets no scheduled mutation,
   * so this is worse than any crash.
   */
  crash: fc.option(fc.nat(2)),
});

type Act = {
  readonly kind: (typeof kinds)[number];
  readonly who: number;
  readonly what: number;
  readonly tenths: number;
  readonly again: boolean;
  readonly crash: number | null;
};

/** How often checks have changed what somebody is paid. */
type Reached = { held: number; wrong: number; givenBack: number; corrected: number };

/**
 * An organization that acts on checks, and whose key has few credits, with two members and their team. Each of these has a device that has
 * earned something. Two more devices are the organization's own: they are checkers of other people.
 */
class Office {
  readonly #t: Backend;
  readonly #acme: Organization;
  readonly #keyId: Id<"apiKeys">;
  readonly #members: readonly Id<"members">[];
  readonly #teamId: Id<"teams">;
  readonly #devices: readonly Device[];
  readonly #jobs: string[] = [];
  /** All attempts that a device has learned of, also those that have ended: their ends come again and too late. */
  readonly #attempts: { readonly device: Device; readonly attemptId: string }[] = [];
  #moves = 0;

  private constructor(
    t: Backend,
    acme: Organization,
    keyId: Id<"apiKeys">,
    owners: { readonly members: readonly Id<"members">[]; readonly teamId: Id<"teams"> },
    devices: readonly Device[],
  ) {
    this.#t = t;
    this.#acme = acme;
    this.#keyId = keyId;
    this.#members = owners.members;
    this.#teamId = owners.teamId;
    this.#devices = devices;
  }

  /** @param isShort whether the key reserves little, as if its answers until now had been short. Then longer ones cost more. */
  static async open(creditsMicro: bigint, isShort: boolean): Promise<Office> {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    const t = startBackend();
    const acme = await addOrganization(t, { creditsMicro });
    const session = await signIn(t, acme);
    const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" });
    const members = [];
    for (const name of ["Ada", "Bo"]) {
      const { memberId } = await joinAs(t, session, { name, roles: ["owner", "donor", "requester"] });
      await t.mutation(api.console.people.setTeams, { session, memberId, teamIds: [teamId] });
      members.push(memberId);
    }
    const devices = [];
    for (const [at, owner] of [...members, teamId].entries()) {
      const device = await addChecker(t, acme, `device ${String(at)}`);
      await t.mutation(api.console.devices.setOwner, { session, deviceId: device.deviceId, owner });
      devices.push(device);
    }
    const checkers = [await addChecker(t, acme, "checker 1"), await addChecker(t, acme, "checker 2")];
    await t.mutation(api.console.money.houseRules.set, {
      session,
      expireMonths: 1,
      bonus: {
        percent: 50,
        capMicro: 2n * answerMicro,
        hours: [0, 1, 2, 3, 4, 5, 6].map((day) => ({ day, from: 0, to: 24 })),
      },
      payout: { currency: "EUR", perCreditMicro: 1_000_000_000_000n },
    });
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const office = new Office(t, acme, keyId, { members, teamId }, [...devices, ...checkers]);
    for (const device of devices) await office.#earn(session, device);
    if (isShort) {
      const row = { apiKeyId: keyId, modelId, boundClass: boundClassOf(chat().maxTokens) };
      await t.run(async (ctx) => await ctx.db.insert("likelyShares", { ...row, prompt: 12, answer: 12 }));
    }
    await chooseMode(t, acme, "act");
    return office;
  }

  /** Pays a device, with credits that the key gets for it. */
  async #earn(session: string, device: Device): Promise<void> {
    const t = this.#t;
    const keyId = this.#keyId;
    await t.mutation(api.console.money.grants.change, {
      session,
      holder: keyId,
      micro: mostMicro,
      reason: "Test",
    });
    const jobId = await submit(t, this.#acme);
    await complete(t, device, await claim(t, device, jobId), longest);
    await pass(t, 3_000);
    await t.mutation(internal.maintenance.project, {});
  }

  /** One mutation, then the steps that it scheduled, until the backend ends or none is left. A refusal is an outcome like any other. */
  async act(act: Act): Promise<void> {
    this.#moves += 1;
    for (let times = 0; times < (act.again ? 2 : 1); times += 1) {
      try {
        await this.#perform(act, String(this.#moves));
      } catch (error) {
        if (!(error instanceof ConvexError)) throw error;
      }
    }
    await this.expectInOrder();
    if (act.crash === null) {
      await pass(this.#t, 1);
      return;
    }
    for (let step = 0; step < act.crash; step += 1) await pass(this.#t, 0);
    forgetSteps();
  }

  async #perform({ kind, who, what, tenths }: Act, moveId: string): Promise<void> {
    const t = this.#t;
    const { money, work } = api.console;
    const { apiKey } = this.#acme;
    const keyId = this.#keyId;
    const session = await sessionFor(this.#t, this.#member(who));
    const micro = (answerMicro * BigInt(tenths)) / 10n;
    const device = this.#devices[who % this.#devices.length] as Device;
    const jobId = newest(this.#jobs, what) ?? "none";
    const attempt = newest(this.#attempts, what);
    switch (kind) {
      case "job":
        await this.#submit(who, moveId);
        await this.#take(device);
        await this.#complete(0);
        return;
      case "submit":
        await this.#submit(who, moveId);
        return;
      case "take":
        await this.#take(device);
        return;
      case "complete":
        await this.#complete(what);
        return;
      case "fail":
      case "fail-for-good":
        if (attempt !== undefined)
          await fail(t, attempt.device, attempt.attemptId, { retryable: kind === "fail" });
        return;
      case "release":
        if (attempt !== undefined) await release(t, attempt.device, attempt.attemptId);
        return;
      case "cancel":
        await t.mutation(api.requests.cancel, { apiKey, jobId });
        return;
      case "prioritize":
        await t.mutation(api.console.models.setPriorityPrices, { session, low: 50, normal: 100, high: 250 });
        await t.mutation(api.requests.setPriority, { apiKey, jobId, priority: "high" });
        return;
      case "retry":
        await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
        return;
      case "dispute":
        await t.mutation(work.ratings.rate, {
          session,
          jobId,
          given: { rating: "bad", reason: "wrong", comment: null, dispute: true },
        });
        return;
      case "refund":
        await t.mutation(work.ratings.settle, { session, jobId, reason: "Wrong", refund: true });
        return;
      case "give":
      case "give-to-team": {
        const to = kind === "give" ? this.#member(what) : this.#teamId;
        await t.mutation(money.credits.give, { session, moveId, micro, to, note: "Thanks" });
        return;
      }
      case "to-key":
        await t.mutation(money.credits.toKey, { session, moveId, micro, keyId });
        return;
      case "team-to-key":
        await t.mutation(money.credits.toKey, { session, moveId, micro, keyId, teamId: this.#teamId });
        return;
      case "ask-payout":
        await t.mutation(money.credits.askPayout, { session, moveId, micro, note: null });
        return;
      case "approve-payout":
        await t.mutation(money.payouts.approve, { session, payoutId: await this.#payout(what) });
        return;
      case "refuse-payout":
        await t.mutation(money.payouts.refuse, { session, payoutId: await this.#payout(what), reason: "No" });
        return;
      case "withdraw-payout":
        await t.mutation(money.credits.withdrawPayout, { session, payoutId: await this.#payout(what) });
        return;
      case "change-credits": {
        const change = {
          session,
          holder: keyId,
          micro: what % 2 === 0 ? 10n * micro : -micro,
          reason: "Test",
        };
        await t.mutation(money.grants.change, change);
        return;
      }
      case "grant":
      case "take-back": {
        const amount = kind === "grant" ? micro : -micro;
        await t.mutation(money.grants.change, {
          session,
          holder: this.#owner(what),
          micro: amount,
          reason: "Test",
        });
        return;
      }
      case "hand-over": {
        const owner = this.#owner(what);
        await t.mutation(api.console.devices.setOwner, { session, deviceId: device.deviceId, owner });
        return;
      }
      case "own-key":
        await this.#ownKey(what);
        return;
      case "allowance": {
        const terms = {
          every: "day" as const,
          kind: what % 2 === 0 ? ("add" as const) : ("top-up" as const),
        };
        await t.mutation(money.allowances.set, {
          session,
          holder: this.#holder(what),
          ...terms,
          micro: 9n * micro,
          reason: "Test",
        });
        return;
      }
      case "project":
        vi.setSystemTime(Date.now() + 3_000);
        await t.mutation(internal.maintenance.project, {});
        return;
      case "count":
        vi.setSystemTime(Date.now() + 40_000);
        await t.mutation(internal.maintenance.countStatistics, {});
        return;
      case "expire":
        await t.mutation(internal.maintenance.expireCredits, {});
        return;
      case "renew":
        await t.mutation(internal.maintenance.renewAllowances, {});
        return;
      case "check-queue":
        await countQueue(t);
        return;
      case "wait":
        await pass(t, tenths * 10_000);
        return;
      case "wait-days":
        vi.setSystemTime(Date.now() + tenths * dayMs);
        return;
      case "checked-job":
        await this.#submit(who, moveId);
        await this.#take(device);
        await this.#complete(0);
        vi.setSystemTime(Date.now() + 40_000);
        await t.mutation(internal.maintenance.countStatistics, {});
        // The count begins a run, whose first step chooses.
        for (let step = 0; step < 2; step += 1) await pass(t, 0);
        return;
      case "check":
        await this.#check(who, checkReports[what % checkReports.length] as typeof fitting);
        return;
      case "canary":
        await leaveUnchecked(t, this.#acme, device);
        await t.mutation(internal.trust.canaries.ask, { organizationId: this.#acme.organizationId });
        return;
      case "mode":
        await chooseMode(t, this.#acme, modes[what % modes.length] as (typeof modes)[number]);
        return;
      case "release-pay": {
        const { deviceId } = device;
        await t.mutation(api.console.fleet.checks.releasePay, { session, deviceId, reason: "Known" });
        return;
      }
      case "resume":
        await t.mutation(api.console.devices.resume, { session, deviceId: device.deviceId });
        return;
      case "end-checks":
        await t.mutation(internal.trust.checks.sweep, {});
    }
  }

  async #submit(who: number, moveId: string): Promise<void> {
    const { jobId } = await this.#t.mutation(internal.requests.submit, {
      keyId: this.#keyId,
      model: modelId,
      work: { kind: "chat", request: chat() },
      stream: false,
      idempotencyKey: moveId,
      handOver: who % 2 === 0,
    });
    if (!this.#jobs.includes(jobId)) this.#jobs.push(jobId);
  }

  async #take(device: Device): Promise<void> {
    const { key } = device;
    await this.#t.mutation(api.work.hello, { key, ...checkerGreeting() });
    await this.#t.mutation(api.work.take, { key, demand: { jobs: 1 } });
    // Also those that were handed to it.
    const known = new Set(this.#attempts.map(({ attemptId }) => attemptId));
    const held = await this.#t.query(api.work.held, { key });
    const attemptIds = held.map(({ attemptId }) => attemptId).filter((id) => !known.has(id));
    for (const attemptId of attemptIds) this.#attempts.push({ device, attemptId });
    if (attemptIds.length > 0) await this.#t.mutation(api.work.start, { key, attemptIds });
  }

  async #complete(which: number): Promise<void> {
    const attempt = newest(this.#attempts, which);
    if (attempt === undefined) return;
    await complete(
      this.#t,
      attempt.device,
      attempt.attemptId,
      which % 3 === 0 ? longest : { text: answerText },
    );
  }

  /** Lets the first device that gets a check of an answer make it. */
  async #check(from: number, said: typeof fitting): Promise<void> {
    for (const device of [...this.#devices.slice(from), ...this.#devices.slice(0, from)]) {
      await this.#take(device);
      for (const { attemptId } of this.#attempts.filter((attempt) => attempt.device === device)) {
        const payload = await payloadOf(this.#t, device.key, attemptId);
        if (!isReplay(payload)) continue;
        await report(this.#t, device, attemptId, said);
        return;
      }
    }
  }

  /** Half of the time the key belongs to the organization, so that its jobs are nobody's own. */
  async #ownKey(which: number): Promise<void> {
    const owner = which % 2 === 0 ? undefined : this.#owner(which);
    await this.#t.run(async (ctx) => await ctx.db.patch("apiKeys", this.#keyId, { owner }));
  }

  #member(which: number): Id<"members"> {
    return this.#members[which % this.#members.length] as Id<"members">;
  }

  #holder(which: number): HolderId {
    return which % 3 === 0 ? this.#keyId : this.#owner(which);
  }

  #owner(which: number): Owner {
    return [...this.#members, this.#teamId][which % (this.#members.length + 1)] as Owner;
  }

  async #payout(which: number): Promise<Id<"payouts">> {
    const all = await this.#t.run(async (ctx) => await ctx.db.query("payouts").collect());
    const payout = all[which % Math.max(1, all.length)];
    if (payout === undefined) throw new ConvexError("There is no payout.");
    return payout._id;
  }

  /** All that holds at each moment, whatever was forgotten. */
  async expectInOrder(): Promise<void> {
    const t = this.#t;
    // The balances equal the fold, the sum is zero, nothing is settled twice, and no account is below zero.
    await expectBooksInOrder(t);
    const rows = await t.run(async (ctx) => ({
      accounts: await ctx.db.query("accounts").collect(),
      entries: await ctx.db.query("ledgerEntries").collect(),
      orders: await ctx.db.query("orders").collect(),
      payouts: await ctx.db.query("payouts").collect(),
      totals: await ctx.db.query("ledgerTotals").collect(),
      heldPays: await ctx.db.query("heldPays").collect(),
      available: await availableOf(ctx, this.#keyId),
    }));
    const { accounts, entries, orders, payouts, totals, heldPays, available } = rows;
    const sum = (rows: readonly { readonly micro: bigint }[]): bigint =>
      rows.reduce((total, { micro }) => total + micro, 0n);
    const ofKind = (kind: string) => entries.filter(({ account }) => kindOf(account) === kind);
    expect(available).toBeGreaterThanOrEqual(0n);
    for (const { byKind } of totals)
      expect(Object.values(byKind).reduce((total, micro) => total + micro, 0n)).toBe(0n);
    // A reservation lasts as long as its job.
    const open = new Set(
      (await allJobs(t, this.#acme)).filter(({ status }) => !isFinal(status)).map(({ jobId }) => jobId),
    );
    const held = orders.filter(({ jobId }) => open.has(jobId));
    expect(sum(ofKind("escrow"))).toBe(held.reduce((total, { reservedMicro }) => total + reservedMicro, 0n));
    // Each attempt was paid at most once, and so was each job.
    const settled = ofKind("escrow").filter(({ kind }) => kind === "settle");
    expect(new Set(settled.map(({ jobId }) => jobId)).size).toBe(settled.length);
    const asked = payouts.filter(({ state }) => state === "asked");
    expect(sum(ofKind("payout"))).toBe(sum(asked));
    // Given credits go to keys, or back to the administrators.
    const used = ofKind("grant").filter(({ micro, kind }) => micro < 0n && kind !== "issue");
    const users = new Set(used.map(({ transferKey }) => transferKey));
    const gotIt = entries.filter(({ transferKey, micro }) => users.has(transferKey) && micro > 0n);
    expect(gotIt.filter(({ account }) => kindOf(account) !== "key")).toEqual([]);
    // Held pay has rows, and nothing else is held.
    expect(sum(ofKind("held"))).toBe(sum(heldPays));
    await this.#expectPaidOnce(orders, entries);
    for (const row of accounts) {
      if (kindOf(row.account) !== "device" && kindOf(row.account) !== "wallet") continue;
      expect(sumOfLots(lotsOf(row))).toBe(row.balanceMicro);
      expect(lotsOf(row).filter(({ micro }) => micro < 0n)).toEqual([]);
    }
  }

  /** Of each job, devices have no more than its price, and its key got no more back than it paid. A wrong answer has one correction at most. */
  async #expectPaidOnce(
    orders: readonly Doc<"orders">[],
    entries: readonly Doc<"ledgerEntries">[],
  ): Promise<void> {
    const ofDevices = entries.filter(({ account }) => ["device", "held"].includes(kindOf(account)));
    const ratings = await this.#t.run(async (ctx) => await ctx.db.query("ratings").collect());
    for (const order of orders) {
      const { jobId, priceMicro = 0n, bonusMicro = 0n, givenBackMicro = 0n } = order;
      const pay = ofDevices
        .filter((entry) => entry.jobId === jobId)
        .reduce((total, { micro }) => total + micro, 0n);
      expect(pay).toBeGreaterThanOrEqual(0n);
      expect(pay).toBeLessThanOrEqual(priceMicro + bonusMicro);
      const refundMicro = ratings.find((row) => row.jobId === jobId)?.decision?.refundMicro ?? 0n;
      expect(givenBackMicro + refundMicro).toBeLessThanOrEqual(paidByKey(order));
      const corrections = orders.filter(({ corrects }) => corrects === jobId);
      expect(corrections.map((correction) => correction.jobId)).toEqual(
        [order.foundWrong?.correctedBy].filter((id) => id !== undefined),
      );
    }
  }

  /** Adds what checks have done in this history. */
  async addReached(reached: Reached): Promise<void> {
    const { entries, orders } = await this.#t.run(async (ctx) => ({
      entries: await ctx.db.query("ledgerEntries").collect(),
      orders: await ctx.db.query("orders").collect(),
    }));
    reached.held += entries.filter(({ account, micro }) => kindOf(account) === "held" && micro > 0n).length;
    reached.wrong += orders.filter(({ foundWrong }) => foundWrong !== undefined).length;
    reached.givenBack += orders.filter(({ givenBackMicro = 0n }) => givenBackMicro > 0n).length;
    reached.corrected += orders.filter(({ corrects }) => corrects !== undefined).length;
  }

  /** All jobs are canceled, or their time is over. Then the crons find what was forgotten. */
  async end(byTime: boolean): Promise<void> {
    const session = await sessionFor(this.#t, this.#member(0));
    // A correction that waits for its next try would be a new job.
    forgetSteps();
    for (const { jobId } of byTime ? [] : await this.#requested())
      await this.#t.mutation(api.console.jobs.cancel, { session, jobId });
    if (byTime) vi.setSystemTime(Date.now() + 30 * hourMs);
    for (let minute = 0; minute < 4; minute += 1) {
      await pass(this.#t, 60_000);
      await countQueue(this.#t);
      for (const sweep of ["project", "countStatistics", "expireCredits"] as const)
        await this.#t.mutation(internal.maintenance[sweep], {});
      await pass(this.#t, 10);
    }
  }

  /** All jobs but checks. Nobody has asked for these, nobody cancels them, and they may be chosen at the very end. */
  async #requested() {
    return (await allJobs(this.#t, this.#acme)).filter(({ kind }) => kind !== "replay");
  }

  /** Nothing is left to do. */
  async expectDone(): Promise<void> {
    await this.expectInOrder();
    expect((await this.#requested()).filter(({ status }) => !isFinal(status))).toEqual([]);
    const pending = await this.#t.run(async (ctx) => await ctx.db.query("ledgerPending").collect());
    expect(pending).toEqual([]);
  }
}

/** As if the backend had ended, and lost what it had scheduled. */
function forgetSteps(): void {
  const now = Date.now();
  vi.clearAllTimers();
  // Vitest has set the clock back.
  vi.setSystemTime(now);
}

function isReplay(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null && "answer" in payload;
}

/** One of the last few. Older jobs have mostly ended. */
function newest<Row>(rows: readonly Row[], which: number): Row | undefined {
  return rows.at(-1 - (which % Math.max(1, Math.min(4, rows.length))));
}

const usual = { what: 0, tenths: 1, again: false, crash: null } as const;

/** Two checkers find the first answers of all devices wrong: some were paid before, and the pay of one is held. All are answered again. */
const foundWrong: readonly Act[] = [
  { ...usual, kind: "checked-job", who: 1 },
  ...[3, 4, 3, 4, 3, 4, 3, 4].map((who): Act => ({ ...usual, kind: "check", who, what: 1 })),
  { ...usual, kind: "take", who: 3 },
  { ...usual, kind: "complete", who: 3, what: 1 },
];

// A failure prints the seed, with which `fc.assert` repeats it.
it(
  "the ledger stays in order, whatever happens and whenever the backend ends",
  { timeout: 300_000 },
  async () => {
    const reached: Reached = { held: 0, wrong: 0, givenBack: 0, corrected: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyAct, { minLength: 20, maxLength: 50 }),
        fc.bigInt({ min: 0n, max: 20_000n }),
        fc.boolean(),
        fc.boolean(),
        async (all, credits, isShort, byTime) => {
          const office = await Office.open(credits, isShort);
          try {
            for (const act of all) await office.act(act);
            await office.addReached(reached);
            await office.end(byTime);
            await office.expectDone();
          } finally {
            vi.useRealTimers();
          }
        },
      ),
      { numRuns: 16, examples: [[[...foundWrong], 20_000n, false, false]] },
    );
    for (const [what, times] of Object.entries(reached)) expect(times, what).toBeGreaterThan(0);
  },
);

import { ConvexError } from "convex/values";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { sumOfLots } from "../../app/credits/lots.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { lotsOf } from "../model/ledger/balance.ts";
import { accountKinds, kindOf } from "../model/ledger/transfer.ts";
import {
  addDevice,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  pass,
  submit,
} from "./backend.fixture.ts";
import { joinAs, sessionFor } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const dayMs = 86_400_000;

const acts = [
  "job",
  "job",
  "project",
  "to-key",
  "give",
  "give-again",
  "grant",
  "take-back",
  "ask",
  "withdraw",
  "approve",
  "refuse",
  "hand-over",
  "bonus",
  "expiry",
  "wait",
] as const;

const anyAct = fc.record({
  kind: fc.constantFrom(...acts),
  who: fc.nat(2),
  what: fc.nat(5),
  /** Tenths of the pay for a job. */
  tenths: fc.integer({ min: 1, max: 40 }),
});
type Act = {
  readonly kind: (typeof acts)[number];
  readonly who: number;
  readonly what: number;
  readonly tenths: number;
};

/** Three members, one of whom decides about payouts, with two devices and a key. */
class Office {
  readonly #t: Backend;
  readonly #apiKey: string;
  readonly #keyId: Id<"apiKeys">;
  readonly #organizationId: Id<"organizations">;
  readonly #members: readonly Id<"members">[];
  readonly #devices: readonly Device[];
  #number = 0;

  private constructor(
    t: Backend,
    apiKey: string,
    ids: { readonly keyId: Id<"apiKeys">; readonly organizationId: Id<"organizations"> },
    members: readonly Id<"members">[],
    devices: readonly Device[],
  ) {
    this.#t = t;
    this.#apiKey = apiKey;
    this.#keyId = ids.keyId;
    this.#organizationId = ids.organizationId;
    this.#members = members;
    this.#devices = devices;
  }

  static async open(): Promise<Office> {
    const { t, acme, session } = await openWorld();
    const devices = [await addDevice(t, acme, "one"), await addDevice(t, acme, "two")];
    const members = [];
    for (const name of ["Ada", "Bo", "Cy"]) {
      members.push((await joinAs(t, session, { name, roles: ["owner", "donor"] })).memberId);
    }
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    return new Office(t, acme.apiKey, { keyId, organizationId: acme.organizationId }, members, devices);
  }

  /** A refusal is an outcome like any other. */
  async act(act: Act): Promise<void> {
    try {
      await this.#perform(act);
    } catch (error) {
      if (!(error instanceof ConvexError)) throw error;
    }
    await pass(this.#t, 1);
  }

  async #perform({ kind, who, what, tenths }: Act): Promise<void> {
    const t = this.#t;
    const { money } = api.console;
    const session = await sessionFor(this.#t, this.#member(who));
    const micro = (answerMicro * BigInt(tenths)) / 10n;
    const device = this.#devices[what % 2] as Device;
    this.#number += 1;
    const moveId = String(this.#number);
    switch (kind) {
      case "job": {
        const jobId = await submit(t, { apiKey: this.#apiKey });
        await complete(t, device, await claim(t, device, jobId));
        return;
      }
      case "project":
        await pass(t, 3_000);
        await t.mutation(internal.maintenance.project, {});
        return;
      case "to-key": {
        const owner = this.#member(who);
        await t.run(async (ctx) => await ctx.db.patch("apiKeys", this.#keyId, { owner }));
        await t.mutation(money.credits.toKey, { session, moveId, micro, keyId: this.#keyId });
        await t.run(async (ctx) => await ctx.db.patch("apiKeys", this.#keyId, { owner: undefined }));
        return;
      }
      case "give":
      case "give-again": {
        const gift = { session, to: this.#member(what), micro, note: "Thanks" };
        await t.mutation(money.credits.give, { ...gift, moveId: kind === "give" ? moveId : "again" });
        return;
      }
      case "grant":
      case "take-back": {
        const change = { holder: this.#member(what), micro: kind === "grant" ? micro : -micro };
        await t.mutation(money.grants.change, { session, ...change, reason: "Test" });
        return;
      }
      case "ask":
        await t.mutation(money.credits.askPayout, { session, moveId, micro, note: null });
        return;
      case "withdraw":
        await t.mutation(money.credits.withdrawPayout, { session, payoutId: await this.#payout(what) });
        return;
      case "approve":
        await t.mutation(money.payouts.approve, { session, payoutId: await this.#payout(what) });
        return;
      case "refuse":
        await t.mutation(money.payouts.refuse, { session, payoutId: await this.#payout(what), reason: "No" });
        return;
      case "hand-over": {
        const owner = this.#member(what);
        await t.mutation(api.console.devices.setOwner, { session, deviceId: device.deviceId, owner });
        return;
      }
      case "bonus":
      case "expiry":
        await this.#setRules(session, kind === "bonus" ? tenths : null, kind === "expiry" ? 1 + what : null);
        return;
      case "wait":
        vi.setSystemTime(Date.now() + tenths * 2 * dayMs);
        await t.mutation(internal.maintenance.expireCredits, {});
        await pass(t, 10);
    }
  }

  #member(which: number): Id<"members"> {
    return this.#members[which % this.#members.length] as Id<"members">;
  }

  async #setRules(session: string, percent: number | null, expireMonths: number | null): Promise<void> {
    const hours = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ day, from: 0, to: 24 }));
    await this.#t.mutation(api.console.money.houseRules.set, {
      session,
      expireMonths,
      bonus: percent === null ? null : { percent, capMicro: answerMicro, hours },
      payout: { currency: "EUR", perCreditMicro: 1_000_000_000_000n },
    });
  }

  async #payout(which: number): Promise<Id<"payouts">> {
    const all = await this.#t.run(async (ctx) => await ctx.db.query("payouts").collect());
    const payout = all[which % Math.max(1, all.length)];
    if (payout === undefined) throw new ConvexError("There is no payout.");
    return payout._id;
  }

  async expectInOrder(): Promise<void> {
    const { accounts, entries, pending, payouts } = await this.#t.run(async (ctx) => ({
      accounts: await ctx.db.query("accounts").collect(),
      entries: await ctx.db.query("ledgerEntries").collect(),
      pending: await ctx.db.query("ledgerPending").collect(),
      payouts: await ctx.db.query("payouts").collect(),
    }));
    const fold = new Map<string, bigint>();
    for (const { account, micro } of entries) fold.set(account, (fold.get(account) ?? 0n) + micro);
    for (const { account, micro } of pending) fold.set(account, (fold.get(account) ?? 0n) - micro);
    expect(new Map(accounts.map(({ account, balanceMicro }) => [account, balanceMicro]))).toEqual(
      new Map([...fold].filter(([account]) => accounts.some((row) => row.account === account))),
    );
    expect(entries.reduce((sum, { micro }) => sum + micro, 0n)).toBe(0n);
    const creating = new Set(["issuance", "bonus"]);
    for (const row of accounts) {
      const kind = kindOf(row.account);
      expect(accountKinds).toContain(kind);
      if (!creating.has(kind)) expect(row.balanceMicro).toBeGreaterThanOrEqual(0n);
      if (kind !== "device" && kind !== "wallet") continue;
      expect(sumOfLots(lotsOf(row))).toBe(row.balanceMicro);
      expect(lotsOf(row).filter(({ micro }) => micro < 0n)).toEqual([]);
    }
    const held = payouts.filter(({ state }) => state === "asked").reduce((sum, { micro }) => sum + micro, 0n);
    expect(fold.get(`payout:${this.#organizationId}`) ?? 0n).toBe(held);
  }

  /** Each statement of this month adds up to what the member has. */
  async expectStatements(): Promise<void> {
    for (const memberId of this.#members) {
      const session = await sessionFor(this.#t, memberId);
      const now = Date.now();
      const { money } = api.console;
      const { availableMicro } = await this.#t.query(money.credits.mine, { session });
      const first = await this.#t.query(money.credits.statement, { session, at: now, now });
      const micros = [...first.devices, ...first.moves].map(({ micro }) => micro);
      expect(first.closingMicro).toBe(availableMicro);
      expect(micros.reduce((sum, micro) => sum + micro, first.openingMicro)).toBe(availableMicro);
      const start = await this.#t.query(money.credits.statement, { session, at: 1_800_000_000_000, now });
      expect(start.openingMicro).toBe(0n);
    }
    await expectBooksInOrder(this.#t);
  }
}

it(
  "members' credits are never lost, made or moved twice, whatever happens",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAct, { minLength: 20, maxLength: 70 }), async (all) => {
        const office = await Office.open();
        try {
          await office.act({ kind: "expiry", who: 0, what: 2, tenths: 1 });
          for (const act of all) {
            await office.act(act);
            await office.expectInOrder();
          }
          await office.act({ kind: "project", who: 0, what: 0, tenths: 1 });
          await office.expectStatements();
        } finally {
          closeWorld();
        }
      }),
      { numRuns: 12 },
    );
  },
);

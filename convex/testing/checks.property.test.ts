import { ConvexError } from "convex/values";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { sumOfLots } from "../../app/credits/lots.ts";
import { faded, isOnProbation, newStanding } from "../../app/trust/standing.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { lotsOf } from "../model/ledger/balance.ts";
import { kindOf } from "../model/ledger/transfer.ts";
import { setMode } from "../model/trust/mode.ts";
import { type Backend, type Device, expectBooksInOrder, pass } from "./backend.fixture.ts";
import {
  addChecker,
  answerJob,
  casesOf,
  check,
  choose,
  endProbation,
  fitting,
  noise,
  odd,
  replaysOf,
  standingOf,
} from "./checks.fixture.ts";
import { joinAs, sessionFor } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const kinds = [
  ...(["answer", "answer", "answer", "choose", "choose", "check", "check", "check", "check"] as const),
  ...(["project", "sweep", "late", "release", "resume", "give", "expire", "hand-over"] as const),
];
const anyAct = fc.record({
  // Another mode releases the pay of all, after which less can be asserted.
  kind: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...kinds) },
    { weight: 1, arbitrary: fc.constant("mode" as const) },
  ),
  who: fc.nat(2),
  what: fc.nat(3),
});

const give = async (t: Backend, session: string, { deviceId }: Device, owner: Id<"members">): Promise<void> =>
  void (await t.mutation(api.console.devices.setOwner, { session, deviceId, owner }));

/** Lets the first of the devices that may check an answer do so. */
const checkByAny = async (
  t: Backend,
  devices: readonly Device[],
  result: Parameters<typeof check>[2],
): Promise<void> => {
  for (const device of devices) {
    try {
      await check(t, device, result);
      return;
    } catch (error) {
      if (!/nothing taken|no replay/.test(String(error))) throw error;
    }
  }
};

const reports = [fitting, noise, noise, odd] as const;
const modes = ["act", "watch", "off"] as const;

it("held pay is released or refused once, and the sums of the ledger stay 0, in any order of answers and checks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(anyAct, { minLength: 10, maxLength: 40 }),
      async (known, acts) => {
        const { t, acme, session } = await openWorld();
        const by = { actor: "system", at: Date.now() } as const;
        const set = async (mode: (typeof modes)[number]): Promise<void> =>
          await t.run(async (ctx) => await setMode(ctx, acme.organizationId, mode, by));
        await set("act");
        const devices = [
          await addChecker(t, acme, "one"),
          await addChecker(t, acme, "two"),
          await addChecker(t, acme, "three"),
        ];
        const owners: Id<"members">[] = [];
        for (const device of devices) {
          const { memberId } = await joinAs(t, session, {
            name: device.deviceId.slice(-8),
            roles: ["owner", "donor"],
          });
          await give(t, await sessionFor(t, memberId), device, memberId);
          owners.push(memberId);
        }
        // Devices whose pay a person has released, by a choice for all or for this one.
        const released = new Set<string>();
        if (known) {
          await endProbation(t, acme, devices[0]!, devices[1]!);
          await endProbation(t, acme, devices[1]!, devices[2]!);
        }
        for (const { kind, who, what } of acts) {
          const owner = owners[who]!;
          const device = devices[who]!;
          try {
            if (kind === "answer") await answerJob(t, acme, device);
            if (kind === "choose") await choose(t);
            if (kind === "check") {
              await choose(t);
              await checkByAny(t, [...devices.slice(who), ...devices.slice(0, who)], reports[what]!);
            }
            if (kind === "project") {
              await pass(t, 3_000);
              await t.mutation(internal.maintenance.project, {});
            }
            if (kind === "mode") {
              await set(modes[what % modes.length]!);
              for (const { deviceId } of devices) released.add(deviceId);
            }
            if (kind === "sweep") await t.mutation(internal.trust.checks.sweep, {});
            if (kind === "late") await pass(t, 7 * 3_600_000);
            const { deviceId } = device;
            const by = await sessionFor(t, owner);
            if (kind === "release") {
              await t.mutation(api.console.fleet.checks.releasePay, {
                session,
                deviceId,
                reason: "Known",
              });
              released.add(deviceId);
            }
            if (kind === "resume") await t.mutation(api.console.devices.resume, { session: by, deviceId });
            if (kind === "hand-over") await give(t, by, device, owners[what % owners.length]!);
            if (kind === "give") {
              const micro = 20n * BigInt(1 + what);
              const gift = { session: by, to: owners[what % owners.length]!, micro, note: "Thanks" };
              await t.mutation(api.console.money.credits.give, { ...gift, moveId: crypto.randomUUID() });
            }
            if (kind === "expire") {
              vi.setSystemTime(Date.now() + 40 * 86_400_000);
              await t.mutation(internal.maintenance.expireCredits, {});
            }
          } catch (error) {
            // A device that is paused, or has nothing to check.
            if (!(error instanceof ConvexError) && !/nothing taken|no replay|not claimed/.test(String(error)))
              throw error;
          }
          await pass(t, 10);
        }

        const { entries, held } = await t.run(async (ctx) => ({
          entries: await ctx.db.query("ledgerEntries").collect(),
          held: await ctx.db.query("heldPays").collect(),
        }));
        for (const device of devices) {
          const { deviceId } = device;
          const standing = (await standingOf(t, device))?.standing ?? newStanding(Date.now());
          const waiting = held.filter(
            (pay) => pay.deviceId === deviceId && pay.caseId === undefined && pay.paidBefore !== true,
          );
          // The pay of a device that is no longer new waits for no check.
          if (!isOnProbation(faded(standing, Date.now()))) expect(waiting).toEqual([]);
          if (released.has(deviceId)) continue;
          const fits = standing.counts;
          const passed = (fits.fits ?? 0) + (fits.cleared ?? 0);
          const paid = entries.filter(({ account, micro }) => account === `device:${deviceId}` && micro > 0n);
          if (passed < 5) expect(paid).toEqual([]);
        }
        const sumOf = (kind: string): bigint =>
          entries.reduce((sum, { account, micro }) => sum + (kindOf(account) === kind ? micro : 0n), 0n);
        const sum = entries.reduce((total, { micro }) => total + micro, 0n);
        expect(sum).toBe(0n);
        // Held pay has rows, and nothing else is held.
        expect(sumOf("held")).toBe(held.reduce((total, { micro }) => total + micro, 0n));
        expect(sumOf("check")).toBeLessThanOrEqual(0n);
        for (const { deviceId } of devices) {
          const account = `device:${deviceId}`;
          const has = entries.reduce(
            (total, each) => total + (each.account === account ? each.micro : 0n),
            0n,
          );
          expect(has).toBeGreaterThanOrEqual(0n);
        }
        for (const row of await t.run(async (ctx) => await ctx.db.query("accounts").collect())) {
          const kind = kindOf(row.account);
          if (kind === "key" || kind === "wallet" || kind === "held")
            expect(row.balanceMicro).toBeGreaterThanOrEqual(0n);
          if (kind === "device" || kind === "wallet") expect(sumOfLots(lotsOf(row))).toBe(row.balanceMicro);
        }
        // A transfer of held pay is booked once.
        const keys = entries
          .filter(({ account }) => kindOf(account) === "held")
          .map(({ transferKey, micro }) => `${transferKey} ${micro < 0n}`);
        expect(new Set(keys).size).toBe(keys.length);
        // As many replays wait as are counted.
        const replays = await replaysOf(t);
        for (const device of devices) {
          const waiting = replays.filter(
            ({ deviceId, state }) => deviceId === device.deviceId && state === "waiting",
          );
          expect((await standingOf(t, device))?.waiting ?? 0).toBe(waiting.length);
        }
        for (const { state, voices, deviceId } of await casesOf(t)) {
          expect(voices.some((voice) => voice.deviceId === deviceId)).toBe(false);
          expect(new Set(voices.map((voice) => voice.deviceId)).size).toBe(voices.length);
          if (state === "open") continue;
          const against = voices.filter(({ verdict }) => verdict === "mismatch").length;
          expect(state === "wrong").toBe(against >= 2);
        }
        await expectBooksInOrder(t);
        closeWorld();
      },
    ),
    { numRuns: 12 },
  );
}, 300_000);

import { ConvexError } from "convex/values";
import fc from "fast-check";
import { expect, it } from "vitest";
import { internal } from "../_generated/api.js";
import { kindOf } from "../model/ledger/transfer.ts";
import { setMode } from "../model/trust/mode.ts";
import { expectBooksInOrder, pass } from "./backend.fixture.ts";
import {
  addChecker,
  answerJob,
  casesOf,
  check,
  choose,
  fitting,
  noise,
  odd,
  replaysOf,
  standingOf,
} from "./checks.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const kinds = [
  ...(["answer", "answer", "answer", "choose", "choose", "check", "check", "check", "check"] as const),
  ...(["project", "mode", "sweep", "late"] as const),
];
const anyAct = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(2),
  what: fc.nat(3),
});

const reports = [fitting, noise, noise, odd] as const;
const modes = ["act", "watch", "off"] as const;

it("held pay is released or refused once, and the sums of the ledger stay 0, in any order of answers and checks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyAct, { minLength: 10, maxLength: 40 }), async (acts) => {
      const { t, acme } = await openWorld();
      const by = { actor: "system", at: Date.now() } as const;
      const set = async (mode: (typeof modes)[number]): Promise<void> =>
        await t.run(async (ctx) => await setMode(ctx, acme.organizationId, mode, by));
      await set("act");
      const devices = [
        await addChecker(t, acme, "one"),
        await addChecker(t, acme, "two"),
        await addChecker(t, acme, "three"),
      ];
      for (const { kind, who, what } of acts) {
        const device = devices[who]!;
        try {
          if (kind === "answer") await answerJob(t, acme, device);
          if (kind === "choose") await choose(t);
          if (kind === "check") await check(t, device, reports[what]!);
          if (kind === "project") {
            await pass(t, 3_000);
            await t.mutation(internal.maintenance.project, {});
          }
          if (kind === "mode") await set(modes[what % modes.length]!);
          if (kind === "sweep") await t.mutation(internal.trust.checks.sweep, {});
          if (kind === "late") await pass(t, 7 * 3_600_000);
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
      const sumOf = (kind: string): bigint =>
        entries.reduce((sum, { account, micro }) => sum + (kindOf(account) === kind ? micro : 0n), 0n);
      const sum = entries.reduce((total, { micro }) => total + micro, 0n);
      expect(sum).toBe(0n);
      // Held pay has rows, and nothing else is held.
      expect(sumOf("held")).toBe(held.reduce((total, { micro }) => total + micro, 0n));
      expect(sumOf("check")).toBeLessThanOrEqual(0n);
      for (const { deviceId } of devices) {
        const account = `device:${deviceId}`;
        const has = entries.reduce((total, each) => total + (each.account === account ? each.micro : 0n), 0n);
        expect(has).toBeGreaterThanOrEqual(0n);
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
    }),
    { numRuns: 12 },
  );
}, 300_000);

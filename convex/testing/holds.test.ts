import { ConvexError } from "convex/values";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  type Organization,
  pass,
  signIn,
  submit,
  tryClaim,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

/** Micro-credits that each job reserves. */
const reserved = 580n;

beforeEach(async () => {
  ({ t } = await openWorld());
});

afterEach(closeWorld);

async function openWith(creditsMicro: bigint): Promise<void> {
  acme = await addOrganization(t, { name: "Small", creditsMicro });
  session = await signIn(t, acme);
}

const keyOf = async () => (await listKeys(t, session))[0]!;

async function project(): Promise<void> {
  await pass(t, 3_000);
  await t.mutation(internal.maintenance.project, {});
}

it("a key cannot spend the same credits twice before the ledger is projected", async () => {
  await openWith(reserved * 2n + 100n);
  await submit(t, acme);
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  expect((await keyOf()).balanceMicro).toBe(100n);
  await project();
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("credits that a job gives back can be spent at once", async () => {
  await openWith(reserved);
  const jobId = await submit(t, acme);
  await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  for (let i = 0; i < 2; i += 1) await project();
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("all of the credits can be spent, whichever rows have the allowances", async () => {
  const jobs = 70n;
  await openWith(reserved * jobs);
  for (let i = 0n; i < jobs; i += 1n) await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  expect((await keyOf()).balanceMicro).toBe(0n);
  await t.mutation(api.console.keys.changeCredits, {
    session,
    keyId: (await keyOf()).keyId,
    micro: reserved,
    reason: "More",
  });
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("credits that were taken back cannot be spent from an allowance", async () => {
  await openWith(reserved * 100n);
  for (let i = 0; i < 30; i += 1) await submit(t, acme);
  const { keyId, balanceMicro } = await keyOf();
  await t.mutation(api.console.keys.changeCredits, { session, keyId, micro: -balanceMicro, reason: "Less" });
  for (let i = 0; i < 20; i += 1) await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("rows of a revoked key are deleted after a week", async () => {
  await openWith(reserved * 3n);
  await submit(t, acme);
  const { keyId } = await keyOf();
  await t.mutation(api.console.keys.revoke, { session, keyId });
  const rows = async () => (await t.run(async (ctx) => await ctx.db.query("keyHolds").collect())).length;
  expect(await rows()).toBe(1);
  await pass(t, 8 * 86_400_000);
  expect(await rows()).toBe(0);
});

const act = fc.record({
  kind: fc.constantFrom(
    ...(["submit", "submit", "submit", "submit", "high", "cancel", "complete", "project"] as const),
    ...(["give", "take", "raise"] as const),
  ),
  what: fc.nat(40),
});

it("no history of a key takes its balance below zero", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 20, maxLength: 60 }),
      fc.bigInt({ min: 0n, max: 8_000n }),
      async (all, credits) => {
        ({ t } = await openWorld());
        await openWith(credits);
        const device = await addDevice(t, acme);
        const { keyId } = await keyOf();
        const history = new History(keyId, device);
        for (const each of all) {
          await history.act(each.kind, each.what);
          expect((await keyOf()).balanceMicro).toBeGreaterThanOrEqual(0n);
        }
        for (let i = 0; i < 3; i += 1) await project();
        await expectBooksInOrder(t);
      },
    ),
    { numRuns: 25 },
  );
});

/** The jobs of one key. */
class History {
  readonly #keyId: Id<"apiKeys">;
  readonly #device: Device;
  readonly #jobs: string[] = [];

  constructor(keyId: Id<"apiKeys">, device: Device) {
    this.#keyId = keyId;
    this.#device = device;
  }

  /** A refusal is an outcome like any other. */
  async act(kind: string, what: number): Promise<void> {
    try {
      await this.#perform(kind, what);
    } catch (error) {
      if (!(error instanceof ConvexError)) throw error;
    }
    await pass(t, 1);
  }

  async #perform(kind: string, what: number): Promise<void> {
    const { apiKey } = acme;
    const jobId = this.#jobs[what % Math.max(1, this.#jobs.length)] ?? "none";
    switch (kind) {
      case "submit":
      case "high":
        this.#jobs.push(await submit(t, acme, kind === "high" ? { priority: "high" } : {}));
        return;
      case "cancel":
        await t.mutation(api.requests.cancel, { apiKey, jobId });
        return;
      case "raise":
        await t.mutation(api.console.models.setPriorityPrices, { session, low: 50, normal: 100, high: 300 });
        await t.mutation(api.requests.setPriority, { apiKey, jobId, priority: "high" });
        return;
      case "complete": {
        const outcome = await tryClaim(t, this.#device, jobId);
        if (outcome.kind === "claimed") await complete(t, this.#device, outcome.job.attemptId);
        return;
      }
      case "project":
        await project();
        return;
      case "give":
      case "take": {
        const micro = BigInt(what + 1) * 50n * (kind === "give" ? 1n : -1n);
        const change = { session, keyId: this.#keyId, micro, reason: "Test" };
        await t.mutation(api.console.keys.changeCredits, change);
      }
    }
  }
}

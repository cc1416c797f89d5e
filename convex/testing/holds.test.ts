import { ConvexError } from "convex/values";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { boundClassOf } from "../../app/money/likely.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  chat,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  modelId,
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

it("all of the credits can be spent, whichever rows have the portions", async () => {
  const jobs = 70n;
  await openWith(reserved * jobs);
  for (let i = 0n; i < jobs; i += 1n) await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  expect((await keyOf()).balanceMicro).toBe(0n);
  await t.mutation(api.console.money.grants.change, {
    session,
    holder: (await keyOf()).keyId,
    micro: reserved,
    reason: "More",
  });
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("the first call of a key fills the portions of all, so that the next ones write a row each", async () => {
  await openWith(reserved * 1_280n);
  await submit(t, acme);
  const left = async () =>
    (await t.run(async (ctx) => await ctx.db.query("keyHolds").collect())).map((row) => row.leftMicro);
  const first = await left();
  expect(first.toSorted()).toEqual(
    [...Array.from({ length: 63 }, () => reserved * 10n), reserved * 9n].toSorted(),
  );
  await submit(t, acme);
  const changed = (await left()).filter((micro, at) => micro !== first[at]);
  expect(changed.length).toBe(1);
});

it("credits that were taken back cannot be spent from a portion", async () => {
  await openWith(reserved * 100n);
  for (let i = 0; i < 30; i += 1) await submit(t, acme);
  const { keyId, balanceMicro } = await keyOf();
  await t.mutation(api.console.money.grants.change, {
    session,
    holder: keyId,
    micro: -balanceMicro,
    reason: "Less",
  });
  for (let i = 0; i < 20; i += 1) await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("rows of a revoked key are deleted after a week", async () => {
  await openWith(reserved * 3n);
  await submit(t, acme);
  const { keyId } = await keyOf();
  await t.mutation(api.console.keys.revoke, { session, keyId });
  const rows = async () => (await t.run(async (ctx) => await ctx.db.query("keyHolds").collect())).length;
  expect(await rows()).toBeGreaterThan(0);
  await pass(t, 8 * 86_400_000);
  expect(await rows()).toBe(0);
});

/** Lets the jobs of a key reserve an eighth of their highest prices, as if all answers until now had been short. */
async function learnShort(keyId: Id<"apiKeys">): Promise<void> {
  const row = { apiKeyId: keyId, modelId, boundClass: boundClassOf(chat().maxTokens) };
  await t.run(async (ctx) => await ctx.db.insert("likelyShares", { ...row, prompt: 12, answer: 12 }));
}

const coverOf = async () => (await t.query(internal.setup.ledgerCheck, {})).byAccountKind.cover ?? 0n;

/** The longest prompt and answer that are paid. */
const longest = { text: "x".repeat(400), usage: { promptTokens: 98, completionTokens: 64 } };

async function finish(device: Device, jobId: string): Promise<void> {
  const outcome = await tryClaim(t, device, jobId);
  if (outcome.kind !== "claimed") throw new Error(outcome.kind);
  await complete(t, device, outcome.job.attemptId, longest);
}

it("a key whose answers are short has more jobs at a time, each with room for the highest price", async () => {
  await openWith(reserved * 20n);
  await learnShort((await keyOf()).keyId);
  let jobs = 0;
  for (; jobs < 200; jobs += 1) if ((await submit(t, acme).catch(() => null)) === null) break;
  expect(jobs).toBeGreaterThan(60);
  // The last ones reserve their highest prices.
  const orders = await t.run(async (ctx) => await ctx.db.query("orders").order("desc").take(2));
  expect(orders.map(({ reservedMicro, held }) => [reservedMicro, held])).toEqual([
    [reserved, undefined],
    [reserved, undefined],
  ]);
});

it("an answer longer than its reservation is paid by its key", async () => {
  await openWith(reserved * 10n);
  const { keyId } = await keyOf();
  await learnShort(keyId);
  const device = await addDevice(t, acme);
  await finish(device, await submit(t, acme));
  expect((await keyOf()).balanceMicro).toBe(reserved * 9n);
  await project();
  expect((await keyOf()).balanceMicro).toBe(reserved * 9n);
  expect(await coverOf()).toBe(0n);
  await expectBooksInOrder(t);
});

it("the organization covers what a key without credits cannot pay, and then trusts it no more", async () => {
  await openWith(reserved * 6n);
  const { keyId } = await keyOf();
  await learnShort(keyId);
  const device = await addDevice(t, acme);
  const jobs: string[] = [];
  for (let i = 0; i < 8; i += 1) {
    const jobId = await submit(t, acme).catch(() => null);
    if (jobId !== null) jobs.push(jobId);
  }
  expect(jobs.length).toBeGreaterThan(6);
  for (const jobId of jobs) await finish(device, jobId);
  await project();
  const covered = reserved * BigInt(jobs.length - 6);
  expect(await coverOf()).toBe(-covered);
  expect((await keyOf()).balanceMicro).toBe(0n);
  const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  expect(orders.reduce((sum, { coveredMicro = 0n }) => sum + coveredMicro, 0n)).toBe(covered);
  expect(orders.every(({ priceMicro }) => priceMicro === reserved)).toBe(true);
  const { money } = await t.query(api.console.overview.summary, { session });
  expect(money).toMatchObject({ earnedMicro: reserved * BigInt(jobs.length), spentMicro: reserved * 6n });
  await expectBooksInOrder(t);
  const give = { session, holder: keyId, micro: reserved * 10n, reason: "More" };
  await t.mutation(api.console.money.grants.change, give);
  await submit(t, acme);
  expect((await keyOf()).balanceMicro).toBe(reserved * 9n);
});

it("reservations follow the answers of the key", async () => {
  await openWith(reserved * 1_000n);
  const device = await addDevice(t, acme);
  const reservedNow = async () => {
    const jobId = await submit(t, acme);
    const orders = await t.run(async (ctx) => await ctx.db.query("orders").order("desc").take(1));
    await finishShort(device, jobId);
    return orders[0]!.reservedMicro;
  };
  for (let i = 0; i < 61; i += 1) expect(await reservedNow()).toBe(reserved);
  await pass(t, 40_000);
  await t.mutation(internal.maintenance.countStatisticsOf, { organizationId: acme.organizationId });
  await pass(t, 1_000);
  const learned = await reservedNow();
  expect(learned).toBeLessThan(reserved / 3n);
  expect(learned).toBeGreaterThanOrEqual(answerMicro);
});

/** Answers a job with the short answer. */
async function finishShort(device: Device, jobId: string): Promise<void> {
  const outcome = await tryClaim(t, device, jobId);
  if (outcome.kind === "claimed") await complete(t, device, outcome.job.attemptId);
}

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
      fc.boolean(),
      async (all, credits, isShort) => {
        ({ t } = await openWorld());
        await openWith(credits);
        const device = await addDevice(t, acme);
        const { keyId } = await keyOf();
        if (isShort) await learnShort(keyId);
        const history = new History(keyId, device);
        for (const each of all) {
          await history.act(each.kind, each.what);
          expect((await keyOf()).balanceMicro).toBeGreaterThanOrEqual(0n);
        }
        for (let i = 0; i < 3; i += 1) await project();
        await expectBooksInOrder(t);
      },
    ),
    { numRuns: 20 },
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
        // Every second answer is as long as it may be.
        if (outcome.kind === "claimed")
          await complete(t, this.#device, outcome.job.attemptId, what % 2 === 0 ? longest : {});
        return;
      }
      case "project":
        await project();
        return;
      case "give":
      case "take": {
        const micro = BigInt(what + 1) * 50n * (kind === "give" ? 1n : -1n);
        const change = { session, holder: this.#keyId, micro, reason: "Test" };
        await t.mutation(api.console.money.grants.change, change);
      }
    }
  }
}

import { ConvexError } from "convex/values";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { keyAccount, keyOfAccount } from "../model/ledger/transfer.ts";
import {
  addDevice,
  allJobs,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectRefusal,
  fail,
  type Organization,
  pass,
  secret,
  submit,
  tryClaim,
} from "./backend.fixture.ts";
import { lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { countStatistics } from "./statistics.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
let keyId: Id<"apiKeys">;

/** Micro-credits that each job reserves. */
const reserved = 580n;

beforeEach(open);
afterEach(closeWorld);

async function open(): Promise<void> {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
  ({ keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey }));
}

const stopAt = async (subject: Id<"apiKeys"> | Id<"members">, monthlyMicro: bigint) =>
  await t.mutation(api.console.budgets.set, { session, subject, monthlyMicro, stops: true });

async function answer(jobId: string): Promise<void> {
  await complete(t, device, await claim(t, device, jobId));
}

async function project(): Promise<void> {
  await pass(t, 3_000);
  await t.mutation(internal.maintenance.project, {});
}

/** The check of each minute. */
async function watch(): Promise<void> {
  await countStatistics(t, acme);
  await t.mutation(internal.fleet.steps.watchBudgets, { organizationId: acme.organizationId });
}

const messageOf = async (call: Promise<unknown>): Promise<string> =>
  await call.then(
    () => "",
    (thrown: unknown) =>
      thrown instanceof ConvexError ? (thrown.data as { message: string }).message : String(thrown),
  );

it("lets in no job beyond the one that uses it up, before anything is counted", async () => {
  await stopAt(keyId, 2n * reserved + answerMicro + 1n);
  const jobs = [];
  for (let i = 0; i < 3; i += 1) jobs.push(await submit(t, acme));
  await expectRefusal(submit(t, acme), "quota_exceeded");
  expect(await messageOf(submit(t, acme))).toMatch(
    /^Requests that are under way may use up the budget of this/,
  );
  // An answer costs less than it may.
  await answer(jobs[0]!);
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  for (let i = 0; i < 3; i += 1) await project();
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("says that it is used up once its jobs are counted, and not that they are under way", async () => {
  await stopAt(keyId, answerMicro);
  await answer(await submit(t, acme));
  await expectRefusal(submit(t, acme), "quota_exceeded");
  await countStatistics(t, acme);
  expect(await messageOf(submit(t, acme))).toMatch(/^The budget of this API key for this month is used up/);
  await watch();
  expect(await messageOf(submit(t, acme))).toMatch(/^The budget of this API key for this month is used up/);
});

it("counts each job once while it is reserved, projected and counted", async () => {
  await stopAt(keyId, 20n * answerMicro);
  for (let i = 0; i < 20; i += 1) {
    await answer(await submit(t, acme));
    if (i % 3 === 0) await project();
    if (i % 5 === 0) await countStatistics(t, acme);
  }
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("of an owner is shared by all of their keys, also by one that was just handed over", async () => {
  const { memberId } = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  const apiKey = secret("sk-gleaner-");
  const keyHash = await hashSecret(apiKey);
  const second = { session, name: "second", keyHash, prefix: "sk-gleaner-", creditsMicro: 1_000_000n };
  const { keyId: secondId } = await t.mutation(api.console.keys.create, second);
  await submit(t, acme);
  for (const id of [keyId, secondId])
    await t.mutation(api.console.keys.setOwner, { session, keyId: id, owner: memberId });
  await stopAt(memberId, 3n * reserved);
  await submit(t, { apiKey });
  await submit(t, acme);
  await expectRefusal(submit(t, { apiKey }), "quota_exceeded");
  await expectRefusal(submit(t, acme), "quota_exceeded");
  expect(await messageOf(submit(t, acme))).toContain("the owner of this API key");
});

it("lets jobs in at once when it is raised or removed, and in the next month", async () => {
  await stopAt(keyId, reserved);
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  await stopAt(keyId, 2n * reserved);
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  await stopAt(keyId, 1_000n * reserved);
  await submit(t, acme);
  // A lower one leaves nothing in the portions.
  await stopAt(keyId, reserved);
  for (let i = 0; i < 20; i += 1) await expectRefusal(submit(t, acme), "quota_exceeded");
  await t.mutation(api.console.budgets.set, { session, subject: keyId, monthlyMicro: null });
  await submit(t, acme);
  expect(await portions()).toEqual([]);
  await stopAt(keyId, reserved);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  vi.setSystemTime(Date.UTC(2027, 1, 1, 1));
  await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("sees open jobs, also after jobs of the last month have been counted in this one", async () => {
  await stopAt(keyId, 20n * reserved);
  vi.setSystemTime(Date.UTC(2027, 0, 31, 23, 58));
  const jobs = [];
  for (let i = 0; i < 20; i += 1) jobs.push(await submit(t, acme));
  vi.setSystemTime(Date.UTC(2027, 1, 1, 0, 1));
  for (const jobId of jobs) await answer(jobId);
  await project();
  await countStatistics(t, acme);
  for (let i = 0; i < 19; i += 1) await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

/** Stores a reservation of the key that no call has taken from a budget. */
const addPending = async (micro: bigint) =>
  await t.run(async (ctx) => {
    const [any] = await ctx.db.query("ledgerPending").collect();
    const { _id: _, _creationTime: __, ...entry } = any!;
    const account = keyAccount(keyId);
    const counts = { at: Date.now(), requests: 1, tokens: 0 };
    await ctx.db.insert("ledgerPending", { ...entry, account, micro: -micro, counts });
  });

it("looks at all jobs of its keys again after a minute, or once what it knows of is used up", async () => {
  await stopAt(keyId, 20n * reserved);
  await submit(t, acme);
  await addPending(30n * reserved);
  for (let i = 0; i < 19; i += 1) await submit(t, acme);
  await expectRefusal(submit(t, acme), "quota_exceeded");
  await stopAt(keyId, 80n * reserved);
  await submit(t, acme);
  await addPending(60n * reserved);
  await submit(t, acme);
  await pass(t, 61_000);
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("of an owner sees what a key has used that was revoked since", async () => {
  const { memberId } = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  const apiKey = secret("sk-gleaner-");
  const keyHash = await hashSecret(apiKey);
  const second = { session, name: "second", keyHash, prefix: "sk-gleaner-", creditsMicro: 1_000_000n };
  const { keyId: secondId } = await t.mutation(api.console.keys.create, second);
  for (const id of [keyId, secondId])
    await t.mutation(api.console.keys.setOwner, { session, keyId: id, owner: memberId });
  for (let i = 0; i < 5; i += 1) await answer(await submit(t, { apiKey }));
  await t.mutation(api.console.keys.revoke, { session, keyId: secondId });
  await stopAt(memberId, 5n * answerMicro);
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

it("of an owner sees all open jobs of a busy key beside a hundred idle ones", async () => {
  const { memberId } = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  await t.mutation(api.console.keys.setOwner, { session, keyId, owner: memberId });
  await submit(t, acme);
  for (let i = 0; i < 100; i += 1) await addPending(reserved);
  await t.run(async (ctx) => {
    const { _id: _, _creationTime: __, ...key } = (await ctx.db.get("apiKeys", keyId))!;
    for (let i = 0; i < 99; i += 1) await ctx.db.insert("apiKeys", { ...key, keyHash: `idle ${i}` });
  });
  await stopAt(memberId, 90n * reserved);
  await expectRefusal(submit(t, acme), "quota_exceeded");
});

const portions = async () => await t.run(async (ctx) => await ctx.db.query("budgetHolds").collect());

it("is split, so that the calls of a key write different rows", async () => {
  await stopAt(keyId, 1_280n * reserved);
  await submit(t, acme);
  const first = await portions();
  expect(first).toHaveLength(64);
  await submit(t, acme);
  const after = await portions();
  expect(after.filter(({ leftMicro }, at) => leftMicro !== first[at]!.leftMicro)).toHaveLength(1);
});

it("makes batches wait, which go on with what their jobs give back", async () => {
  await stopAt(keyId, 3n * reserved);
  const input_file_id = await uploadFile(t, acme.apiKey, lines(6));
  const body = { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const headers = { authorization: `Bearer ${acme.apiKey}` };
  await t.fetch("/v1/batches", { method: "POST", body: JSON.stringify(body), headers });
  await runDue(t);
  const price = await t.run(async (ctx) => (await ctx.db.query("orders").first())!.reservedMicro);
  const fitting = Number((3n * reserved + price - 1n) / price);
  const jobs = await allJobs(t, acme);
  expect(jobs).toHaveLength(fitting);
  const batch = async () => await t.run(async (ctx) => await ctx.db.query("batches").first());
  expect((await batch())!.cutWaitsFor).toBe("budget");
  await expectRefusal(submit(t, acme), "quota_exceeded");
  await answer(jobs[0]!.jobId);
  await pass(t, 31_000);
  await runDue(t);
  expect(await allJobs(t, acme)).toHaveLength(fitting + 1);
});

it("bounds retries and raised priorities, too", async () => {
  await stopAt(keyId, 2n * reserved);
  const jobId = await submit(t, acme);
  await fail(t, device, await claim(t, device, jobId), { retryable: false });
  const [first] = [await submit(t, acme), await submit(t, acme)];
  const retry = async () => await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
  expect(await retry()).toEqual({ kind: "budget-used-up" });
  await t.mutation(api.console.models.setPriorityPrices, { session, low: 50, normal: 100, high: 300 });
  const { apiKey } = acme;
  const raise = t.mutation(api.requests.setPriority, { apiKey, jobId: first, priority: "high" });
  await expectRefusal(raise, "quota_exceeded");
  await stopAt(keyId, 9n * reserved);
  expect(await retry()).toEqual({ kind: "ready" });
  await t.mutation(api.requests.setPriority, { apiKey, jobId: first, priority: "high" });
});

const act = fc.record({
  kind: fc.constantFrom(
    ...(["submit", "submit", "submit", "submit", "complete", "complete", "cancel", "project"] as const),
    ...(["count", "watch", "lower", "raise"] as const),
  ),
  what: fc.nat(40),
});

it("no history exceeds a budget by more than one job", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 20, maxLength: 60 }),
      fc.bigInt({ min: 1n, max: 8_000n }),
      async (all, budget) => {
        closeWorld();
        await open();
        await stopAt(keyId, budget);
        let bound = budget;
        const jobs: string[] = [];
        for (const { kind, what } of all) {
          const jobId = jobs[what % Math.max(1, jobs.length)] ?? "none";
          if (kind === "submit") {
            const before = await used();
            const [job] = (await Promise.allSettled([submit(t, acme)])).flatMap((each) =>
              each.status === "fulfilled" ? [each.value] : [],
            );
            if (job !== undefined) jobs.push(job);
            // It refuses only what it has to, and lets in nothing that it has no credits for.
            expect([job !== undefined, before]).toEqual([before < bound, before]);
          } else if (kind === "complete") {
            const outcome = await tryClaim(t, device, jobId).catch(() => ({ kind: "gone" as const }));
            if (outcome.kind === "claimed") await complete(t, device, outcome.job.attemptId);
          } else if (kind === "cancel") {
            await Promise.allSettled([t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId })]);
          } else if (kind === "project") await project();
          else if (kind === "count") await countStatistics(t, acme);
          else if (kind === "watch") await watch();
          else {
            // A raised one fills all portions, and a lowered one must empty them.
            bound =
              kind === "raise" ? bound + BigInt(what) * 5_000n : (await used()) + BigInt(what + 1) * 50n;
            await stopAt(keyId, bound);
          }
          await pass(t, 1);
        }
      },
    ),
    { numRuns: 15 },
  );
});

/** What the key's jobs have cost or hold, from the ledger's entries. */
async function used(): Promise<bigint> {
  const entries = await t.run(async (ctx) => await ctx.db.query("ledgerEntries").collect());
  const ofJobs = entries.filter(
    ({ account, jobId }) => jobId !== undefined && keyOfAccount(account) === keyId,
  );
  return ofJobs.reduce((sum, { micro }) => sum - micro, 0n);
}

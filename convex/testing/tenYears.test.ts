import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { checkArchives } from "../../app/archives/check-archive.ts";
import { archiveLines, readRow } from "../../app/archives/file.ts";
import { archiveKinds } from "../../app/archives/kinds.ts";
import { api } from "../_generated/api.js";
import type { Id, TableNames } from "../_generated/dataModel.js";
import type { ActionCtx } from "../_generated/server.js";
import schema from "../schema.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  type Device,
  expectBooksInOrder,
  greeting,
  type Organization,
  signIn,
  signInAgain,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import { uploadFile } from "./batchFile.fixture.ts";
import { joinAs, sessionFor } from "./people.fixture.ts";
import { answerForReceipt, receiptCrypto } from "./receipts.fixture.ts";
import { forgetFinished, letPass, settle } from "./time.fixture.ts";

const months = 120;
/** One working day in three months stands for the others. */
const step = 3;
const jobsPerDay = 3;
const minute = 60_000;

let t: Backend;
let acme: Organization;
let device: Device;
let donor: Id<"members">;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.UTC(2027, 0, 4, 9) });
  vi.stubEnv("GLEANER_SIGNING_KEY", Buffer.alloc(32, 7).toString("base64url"));
  t = startBackend();
  acme = await addOrganization(t, { creditsMicro: 1_000_000_000_000n });
  device = await addDevice(t, acme);
  const session = await signIn(t, acme);
  ({ memberId: donor } = await joinAs(t, session, { name: "Ada", roles: ["donor"] }));
  await t.mutation(api.console.devices.setOwner, { session, deviceId: device.deviceId, owner: donor });
  const payout = { currency: "EUR", perCreditMicro: 1_000_000_000_000n };
  await t.mutation(api.console.money.houseRules.set, { session, expireMonths: null, bonus: null, payout });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/**
 * A day of the office: a member signs in, two jobs are answered, one is canceled, a batch fails, credits are given and paid out, and all crons
 * run.
 */
async function workingDay(): Promise<string[]> {
  const session = await signInAgain(t, acme);
  const { key } = device;
  await t.mutation(api.work.hello, { key, ...greeting() });
  await t.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
  const jobIds: string[] = [];
  for (let at = 0; at < jobsPerDay; at += 1) {
    const jobId = await submit(t, acme, { content: `Job ${String(at)} of ${String(Date.now())}` });
    jobIds.push(jobId);
    if (at === 0) await t.mutation(api.console.jobs.cancel, { session, jobId });
    else await answerForReceipt(t, device, jobId);
  }
  await failBatch();
  await letPass(t, 2 * minute);
  await moveCredits(session);
  await forgetFinished(t);
  await t.mutation(api.console.account.signOut, { session });
  return jobIds;
}

/** A batch whose file has no request. */
async function failBatch(): Promise<void> {
  const fileId = await uploadFile(t, acme.apiKey, "{}");
  const { apiKey } = acme;
  const body = { input_file_id: fileId, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const headers = { authorization: `Bearer ${apiKey}` };
  const made = await t.fetch("/v1/batches", { method: "POST", headers, body: JSON.stringify(body) });
  expect(made.status).toBe(200);
  await settle(t);
}

/** The donor gets credits from the administrator, and is paid out what the device has earned. */
async function moveCredits(session: string): Promise<void> {
  const { money } = api.console;
  const given = { session, holder: donor, micro: 5n, reason: "Thanks" };
  await t.mutation(money.grants.change, given);
  const own = await sessionFor(t, donor);
  const asked = { session: own, moveId: crypto.randomUUID(), micro: 20n, note: null };
  await t.mutation(money.credits.askPayout, asked);
  await t.mutation(api.console.account.signOut, { session: own });
  const paginationOpts = { numItems: 1, cursor: null };
  const open = { session, state: "asked" as const, from: 0, to: Date.now(), paginationOpts };
  const [payout] = (await t.query(money.payouts.list, open)).page;
  await t.mutation(money.payouts.approve, { session, payoutId: payout!.payoutId });
}

/** The number of rows in each of the app's tables. */
async function rowCounts(): Promise<Map<string, number>> {
  const counts = await t.run(async (ctx) => {
    const names = Object.keys(schema.tables) as TableNames[];
    return await Promise.all(
      names.map(async (name) => [name, (await ctx.db.query(name).collect()).length] as [string, number]),
    );
  });
  return new Map(counts);
}

/** The most rows of a table after ten years: those of the months that are kept, and of the last days. */
const mostRows = 500;
/** Tables that keep a number of rows: the days of six weeks and today, the portions of a key, and the months of pay of ten years. */
const rowsKept: ReadonlyMap<string, number> = new Map([
  ["capacityDays", 6 * 7 + 1],
  ["keyHolds", 64 + 1],
  ["earnedMonths", months + 1],
]);
/** One row for each month and kind. */
const mostArchives = 7 * months;

it("ten years of a small office leave small tables, books in order, and each job in one place", async () => {
  const jobIds: string[] = [];
  let halfway = new Map<string, number>();
  for (let month = 0; month < months; month += step) {
    vi.advanceTimersByTime(Date.UTC(2027, month, 5 + (month % 20), 9) - Date.now());
    await t.finishInProgressScheduledFunctions();
    jobIds.push(...(await workingDay()));
    if (month === months / 2) halfway = await rowCounts();
  }
  const counts = await rowCounts();
  counts.delete("archives");
  expect([...counts].filter(([, rows]) => rows > mostRows)).toEqual([]);
  // Months have different numbers of days, and thus of rows that wait for the end of theirs.
  const grown = [...counts].filter(
    ([table, rows]) => rows > Math.max(1.2 * (halfway.get(table) ?? 0) + 5, rowsKept.get(table) ?? 0),
  );
  expect(grown).toEqual([]);
  // The queue keeps records for 90 days.
  expect((await allJobs(t, acme)).length).toBeLessThanOrEqual(2 * jobsPerDay);
  await expectBooksInOrder(t);

  const { orders, archives, balances, ledger } = await t.run(async (ctx) => ({
    orders: await ctx.db.query("orders").collect(),
    archives: await ctx.db.query("archives").collect(),
    balances: await ctx.db.query("accounts").collect(),
    ledger: [
      ...(await ctx.db.query("ledgerOpenings").collect()),
      ...(await ctx.db.query("ledgerEntries").collect()),
    ],
  }));
  for (const { account, balanceMicro } of balances) {
    const ofAccount = ledger.filter((row) => row.account === account);
    expect(ofAccount.reduce((sum, { micro }) => sum + micro, 0n)).toBe(balanceMicro);
  }
  expect(archives.length).toBeGreaterThan(3 * (months / step - 13));
  expect(archives.length).toBeLessThan(mostArchives);
  expect(archives.filter(({ doneAt }) => doneAt === undefined)).toEqual([]);
  expect(new Set(archives.map(({ kind }) => kind))).toEqual(new Set(archiveKinds));
  const files = await t.run(async (ctx) => {
    const { storage } = ctx as unknown as ActionCtx;
    return await Promise.all(
      archives.map(async ({ storageId }) => (await (await storage.get(storageId))?.text()) ?? ""),
    );
  });
  const { problem, archives: checked } = await checkArchives(files.join(""), receiptCrypto, null);
  expect(problem).toBeNull();
  expect(checked.length).toBe(archives.length);
  const archived = files
    .flatMap((file) => archiveLines(file).map(readRow))
    .flatMap((row) => (row?.table === "orders" ? [String(row.row["jobId"])] : []));
  expect([...archived, ...orders.map(({ jobId }) => jobId)].toSorted()).toEqual(jobIds.toSorted());

  const session = await signInAgain(t, acme);
  expect(await t.query(api.console.audit.check, { session, after: 0 })).toMatchObject({ broken: null });
}, 300_000);

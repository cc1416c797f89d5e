import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { internal } from "../../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  claim,
  complete,
  startBackend,
  submit,
} from "../../testing/backend.fixture.ts";
import { checkLedgerPage, type LedgerReport, ledgerStart, mergeReports } from "./check.ts";

let t: Backend;
let jobIds: string[];

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  const acme = await addOrganization(t);
  const device = await addDevice(t, acme);
  jobIds = [];
  for (let i = 0; i < 12; i += 1) {
    const jobId = await submit(t, acme);
    jobIds.push(jobId);
    if (i % 3 !== 0) await complete(t, device, await claim(t, device, jobId));
  }
});

afterEach(() => {
  vi.useRealTimers();
});

/** All pages of an audit with small pages. */
async function pages(entries: number, jobs = 5): Promise<LedgerReport[]> {
  const reports: LedgerReport[] = [];
  let after: typeof ledgerStart | null = ledgerStart;
  while (after !== null) {
    const position: typeof ledgerStart = after;
    const page = await t.run(async (ctx) => await checkLedgerPage(ctx, position, { entries, jobs }));
    reports.push(page.report);
    after = page.next;
  }
  return reports;
}

it.each([4, 5, 6, 7, 8])(
  "sums to zero on every page of %i entries, and the pages add up to the whole",
  async (size) => {
    const reports = await pages(size);
    expect(reports.length).toBeGreaterThan(5);
    expect(reports.map(({ sum }) => sum)).toEqual(reports.map(() => 0n));
    expect(reports.map(({ complete }) => complete)).toEqual(reports.map((_, i) => i === reports.length - 1));
    const whole = await t.query(internal.setup.ledgerCheck, {});
    expect(whole).toMatchObject({ complete: true, jobs: { checked: 12 } });
    expect(reports.reduce(mergeReports)).toEqual(whole);
    expect(await t.action(internal.setup.auditLedger, {})).toEqual(whole);
  },
);

it("finds double, early and missing settlements on any page", async () => {
  const [running, settled, again] = jobIds;
  if (running === undefined || settled === undefined || again === undefined) throw new Error("no jobs");
  await t.run(async (ctx) => {
    const entriesOf = async (jobId: string) =>
      await ctx.db
        .query("ledgerEntries")
        .withIndex("by_transfer", (q) => q.eq("transferKey", `close:${jobId}:0`))
        .collect();
    for (const { _id, _creationTime, ...entry } of await entriesOf(again)) {
      await ctx.db.insert("ledgerEntries", entry);
    }
    // A finished job without closing entries, and a running job with them.
    for (const { _id, _creationTime, ...entry } of await entriesOf(settled)) {
      await ctx.db.delete("ledgerEntries", _id);
      await ctx.db.insert("ledgerEntries", { ...entry, jobId: running, transferKey: `close:${running}:0` });
    }
  });
  const faults = { settledTwice: 1, settledEarly: 1, unsettled: 1 };
  expect((await pages(6)).reduce(mergeReports).jobs).toMatchObject(faults);
  expect((await t.query(internal.setup.ledgerCheck, {})).jobs).toMatchObject(faults);
});

import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkArchives } from "../../app/archives/check-archive.ts";
import { archiveLines, readRow } from "../../app/archives/file.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import type { ActionCtx } from "../_generated/server.js";
import { archiveOld } from "../model/archives/run.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  type Organization,
  signIn,
  signInAgain,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { answerForReceipt, receiptCrypto } from "./receipts.fixture.ts";
import { letPass, runCrons, settle } from "./time.fixture.ts";

const day = 24 * 3_600_000;

let t: Backend;
let acme: Organization;
let device: Device;
let session: string;

beforeEach(async () => {
  // A Friday, in the middle of a month.
  vi.useFakeTimers({ now: Date.UTC(2027, 0, 15, 8) });
  vi.stubEnv("GLEANER_SIGNING_KEY", Buffer.alloc(32, 7).toString("base64url"));
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  session = await signIn(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** A job from its submission to its signed answer. */
async function doJob(): Promise<string> {
  const jobId = await submit(t, acme);
  expect(await answerForReceipt(t, device, jobId)).toMatchObject({ kind: "completed" });
  return jobId;
}

/** All that the deployment does by itself in a time. */
async function pass(ms: number): Promise<void> {
  await letPass(t, ms);
}

async function archive(): Promise<void> {
  await t.action(internal.archives.steps.run, { organizationId: acme.organizationId });
  await settle(t);
}

async function archives() {
  const paginationOpts = { numItems: 200, cursor: null };
  return (await t.query(api.console.retention.archives.list, { session, paginationOpts })).page.toReversed();
}

async function textOf(archiveId: Awaited<ReturnType<typeof archives>>[number]["archiveId"]): Promise<string> {
  return await t.action(api.console.retention.archives.download, { session, archiveId });
}

/** Jobs of two months, whose records the queue has deleted and whose months are over for archives. */
async function oldJobs(): Promise<string[]> {
  const jobIds = [await doJob(), await doJob()];
  await pass(2 * 60_000);
  vi.advanceTimersByTime(20 * day);
  jobIds.push(await doJob());
  await pass(2 * 60_000);
  await pass(100 * day);
  vi.advanceTimersByTime(340 * day);
  session = await signInAgain(t, acme);
  // The newest seal of the receipts stays, so a young job makes one.
  await doJob();
  vi.advanceTimersByTime(2 * 60_000);
  await runCrons(t, (name) => !name.startsWith("archives"));
  return jobIds;
}

async function jobsInTables(table: "orders" | "receipts"): Promise<string[]> {
  return await t.run(async (ctx) => (await ctx.db.query(table).collect()).map(({ jobId }) => jobId));
}

function jobsOf(file: string, table: string): string[] {
  const rows = archiveLines(file).map(readRow);
  return rows.flatMap((row) => (row?.table === table ? [String(row.row["jobId"])] : []));
}

async function problemOf(files: readonly string[]): Promise<string | null> {
  return (await checkArchives(files.join(""), receiptCrypto, null)).problem;
}

describe("old rows", () => {
  it("move into one archive for each kind and month, and the books stay in order", async () => {
    const jobIds = await oldJobs();
    const balances = await t.run(async (ctx) => await ctx.db.query("accounts").collect());
    await archive();
    const found = await archives();
    const month = (name: string) => Date.parse(`${name}-01`);
    expect(found.map(({ kind, number, month: at, rows }) => [kind, number, at, rows])).toEqual([
      ["orders", 1, month("2027-01"), 2],
      ["orders", 2, month("2027-02"), 1],
      ["receipts", 1, month("2027-01"), 3],
      ["receipts", 2, month("2027-02"), 2],
      ["ledger", 1, month("2027-01"), 12],
      ["ledger", 2, month("2027-02"), 5],
    ]);
    expect(found.every(({ isDone }) => isDone)).toBe(true);
    const files = await Promise.all(found.map(async ({ archiveId }) => await textOf(archiveId)));
    for (const [at, file] of files.entries())
      expect(createHash("sha256").update(file).digest("hex")).toBe(found[at]?.sha256);
    for (const table of ["orders", "receipts"] as const) {
      expect(files.flatMap((file) => jobsOf(file, table))).toEqual(jobIds);
      expect(await jobsInTables(table)).toHaveLength(1);
    }
    expect(await problemOf(files)).toBeNull();
    await expectBooksInOrder(t);
    expect(await foldOfLedger()).toEqual(
      new Map(balances.map(({ account, balanceMicro }) => [account, balanceMicro])),
    );
  });

  it("are in an archive or in their table, wherever a run is cut off, and once at its end", async () => {
    const jobIds = await oldJobs();
    const young = (await jobsInTables("orders")).filter((jobId) => !jobIds.includes(jobId));
    const { organizationId } = acme;
    let isDone = false;
    let cuts = 0;
    for (let calls = 1; !isDone; calls += 1) {
      for (const lost of ["call", "answer"] as const) {
        const run = archiveOld(cutOff(calls, lost), organizationId, { steps: 100, rows: 2 });
        isDone = await run.then(
          () => true,
          (error: unknown) => {
            expect(error).toEqual(new Error("cut off"));
            cuts += 1;
            return false;
          },
        );
        const files = await allFiles();
        const kept = [...(await jobsInTables("orders")), ...files.flatMap((file) => jobsOf(file, "orders"))];
        expect(new Set(kept)).toEqual(new Set([...jobIds, ...young]));
        await expectBooksInOrder(t);
      }
    }
    expect(cuts).toBeGreaterThan(20);
    const files = await allFiles();
    for (const table of ["orders", "receipts"] as const) {
      expect(files.flatMap((file) => jobsOf(file, table)).toSorted()).toEqual(jobIds.toSorted());
      expect(await jobsInTables(table)).toEqual(young);
    }
    expect(await problemOf(files)).toBeNull();
    // A file that no archive names is deleted after two months.
    const stored = async () =>
      await t.run(async (ctx) => (await ctx.db.system.query("_storage").collect()).length);
    expect(await stored()).toBeGreaterThan(files.length);
    await pass(70 * day);
    expect(await stored()).toBe(files.length);
  });

  it("are not deleted if the file is damaged, and the archive is written anew", async () => {
    const jobIds = await oldJobs();
    const { organizationId } = acme;
    await expect(archiveOld(cutOff(7, "call"), organizationId)).rejects.toThrow("cut off");
    const damage = async () =>
      await t.run(async (ctx) => {
        const [first] = await ctx.db.query("archives").collect();
        if (first === undefined) throw new Error("no archive");
        const storageId = await (ctx as unknown as ActionCtx).storage.store(new Blob(["other"]));
        await ctx.db.patch("archives", first._id, { storageId });
      });
    await damage();
    await archive();
    const files = await allFiles();
    expect(files.flatMap((file) => jobsOf(file, "orders"))).toEqual(jobIds);
    expect(await problemOf(files)).toBeNull();
    await expectBooksInOrder(t);
  });

  it("stay if a row changed since it was archived", async () => {
    await oldJobs();
    const { organizationId } = acme;
    await expect(archiveOld(cutOff(7, "call"), organizationId)).rejects.toThrow("cut off");
    await t.run(async (ctx) => {
      const [first] = await ctx.db.query("orders").collect();
      if (first !== undefined) await ctx.db.patch("orders", first._id, { reservedMicro: 1n });
    });
    await archive();
    const [orders] = await allFiles();
    expect(readRow(archiveLines(orders ?? "")[0] ?? "")?.row["reservedMicro"]).toBe("1");
    const trail = await t.run(async (ctx) => await ctx.db.query("audit").collect());
    expect(trail.filter(({ action }) => action === "archive.failed")).toMatchObject([
      { detail: "A row has changed since it was archived." },
    ]);
  });

  it("of a job that the queue still has stay, and so do its entries in the ledger", async () => {
    await doJob();
    const open = await submit(t, acme);
    await pass(2 * 60_000);
    await t.mutation(internal.maintenance.project, {});
    const { organizationId } = acme;
    const before = Date.now() + day;
    for (const kind of ["orders", "ledger"] as const) {
      const { groups } = await t.query(internal.archives.steps.page, {
        organizationId,
        kind,
        after: 0,
        before,
      });
      expect(groups.flatMap(({ lines }) => lines).join("")).not.toContain(open);
    }
    await expectBooksInOrder(t);
  });
});

describe("the audit trail", () => {
  it("keeps its chain when old seals are in archives", async () => {
    await pass(2 * 60_000);
    vi.advanceTimersByTime(800 * day);
    session = await signInAgain(t, acme);
    await pass(2 * 60_000);
    await settle(t);
    await pass(2 * 60_000);
    const found = (await archives()).filter(({ kind }) => kind === "audit");
    expect(found).toMatchObject([{ number: 1, isDone: true }]);
    const file = await textOf(found[0]!.archiveId);
    expect(await problemOf([file])).toBeNull();
    expect(await problemOf([file.replace("organization.created", "organization.invented")])).toMatch(/hash/);
    const check = await t.query(api.console.audit.check, { session, after: 0 });
    expect(check).toMatchObject({ broken: null });
    expect(check.seals).toBeGreaterThan(0);
    // A row that is deleted from what is left is found.
    await t.run(async (ctx) => {
      const [oldest] = await ctx.db.query("audit").collect();
      if (oldest !== undefined) await ctx.db.delete("audit", oldest._id);
    });
    expect((await t.query(api.console.audit.check, { session, after: 0 })).broken).not.toBeNull();
  });
});

describe("the console", () => {
  it("changes how long rows are kept, with a reason in the audit trail", async () => {
    const set = async (kind: "orders" | "ledger", days: number | null, reason = "Our rules say so") =>
      await t.mutation(api.console.retention.archives.setRetention, { session, kind, days, reason });
    await expectRefusal(set("orders", 99), "invalid");
    await expectRefusal(set("ledger", 399), "invalid");
    await expectRefusal(set("orders", 401), "invalid");
    await expectRefusal(set("orders", 200, " "), "invalid");
    await set("ledger", 800);
    await set("orders", 700);
    await expectRefusal(set("ledger", 600), "invalid");
    const retention = await t.query(api.console.retention.archives.retention, { session, now: Date.now() });
    expect(retention.find(({ kind }) => kind === "orders")).toMatchObject({
      days: 700,
      standard: 400,
      least: 100,
    });
    const trail = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 2, cursor: null },
    });
    expect(trail.page.map(({ detail }) => detail)).toEqual([
      "days of Jobs: 400 → 700. Our rules say so",
      "days of Ledger: 400 → 800. Our rules say so",
    ]);
  });

  it("lets auditors read and download, and nobody without the right, and no other organization", async () => {
    await oldJobs();
    await archive();
    const [first] = await archives();
    const { archiveId } = first!;
    const auditor = await joinAs(t, session, { name: "Ann", roles: ["auditor"] });
    const asAuditor = { session: auditor.session };
    expect(await t.action(api.console.retention.archives.download, { ...asAuditor, archiveId })).toContain(
      "orders",
    );
    await expectRefusal(t.mutation(api.console.retention.archives.run, asAuditor), "forbidden");
    const operator = await joinAs(t, session, { name: "Ole", roles: ["operator"] });
    await expectRefusal(
      t.action(api.console.retention.archives.download, { session: operator.session, archiveId }),
      "forbidden",
    );
    const beta = await addOrganization(t, { name: "Beta" });
    const other = await signIn(t, beta);
    await expectRefusal(
      t.action(api.console.retention.archives.download, { session: other, archiveId }),
      "not_found",
    );
    const paginationOpts = { numItems: 10, cursor: null };
    const list = await t.query(api.console.retention.archives.list, { session: other, paginationOpts });
    expect(list.page).toEqual([]);
  });
});

/** The balance of each account from opening balances and entries. */
async function foldOfLedger(): Promise<Map<string, bigint>> {
  const rows = await t.run(async (ctx) => [
    ...(await ctx.db.query("ledgerOpenings").collect()),
    ...(await ctx.db.query("ledgerEntries").collect()),
  ]);
  const fold = new Map<string, bigint>();
  for (const { account, micro } of rows) fold.set(account, (fold.get(account) ?? 0n) + micro);
  return fold;
}

/** The files of all noted archives. */
async function allFiles(): Promise<string[]> {
  return await t.run(async (ctx) => {
    const { storage } = ctx as unknown as ActionCtx;
    const rows = await ctx.db.query("archives").collect();
    return await Promise.all(
      rows.map(async ({ storageId }) => (await (await storage.get(storageId))?.text()) ?? ""),
    );
  });
}

/** An action's context that ends a run at one of its calls: before the call, or when its answer is on the way. */
function cutOff(calls: number, lost: "call" | "answer"): ActionCtx {
  let left = calls;
  const counted =
    <Args extends readonly unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      left -= 1;
      if (left === 0 && lost === "call") throw new Error("cut off");
      const answer = await call(...args);
      if (left === 0) throw new Error("cut off");
      return answer;
    };
  const inStorage = async <Answer>(
    act: (storage: ActionCtx["storage"]) => Promise<Answer>,
  ): Promise<Answer> => await t.run(async (ctx) => await act((ctx as unknown as ActionCtx).storage));
  return {
    runQuery: counted(t.query.bind(t) as never),
    runMutation: counted(t.mutation.bind(t) as never),
    storage: {
      store: counted(async (blob: Blob) => await inStorage(async (storage) => await storage.store(blob))),
      get: counted(async (id: Id<"_storage">) => {
        const text = await inStorage(async (storage) => (await (await storage.get(id))?.text()) ?? null);
        return text === null ? null : new Blob([text]);
      }),
      delete: counted(async (id: Id<"_storage">) => {
        await inStorage(async (storage) => {
          await storage.delete(id);
        });
      }),
    },
  } as unknown as ActionCtx;
}

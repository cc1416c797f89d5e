import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { convexToJson, type Value } from "convex/values";
import { makeClient } from "../../launch/farm/ask.ts";
import type { Farm } from "../../launch/farm/farm.ts";
import { hashSecret } from "../../launch/organization/secrets.ts";
import { exportLine } from "../../packages/embedded/backup/export-values.ts";
import { writeZip } from "../../packages/embedded/backup/zip-writer.ts";
import { repetitions } from "../support/repetitions.ts";
import { copiedId, copyOf, idOf, type Row, type Rows } from "./copies.ts";

export type Seeded = { readonly devices: number; readonly members: number; readonly jobs: number };
/** The device that comes last in lists. */
export type LastDevice = {
  readonly number: number;
  readonly id: string;
  /** The ids of jobs that no page shows without paging, each once. */
  readonly oldJobs: () => Generator<string, never>;
};

const wanted: Seeded = { devices: 10_000, members: 200, jobs: 1_000_000 };
/** Jobs are added in portions, until the time of all rounds has passed. */
const jobsAtOnce = 50_000;
const jobsMsPerRound = 24_000;
const countedWithinMs = 90_000;
const oldJobsFrom = 10_000;
const firstAnswerWithinMs = 180_000;
const hourMs = 3_600_000;
/** The time between two submissions: the jobs are of the last 30 days. */
const apartMs = 2_592;

/** Rows of the app, and of its component `queue`. */
const tablesOf = {
  device: ["devices", "deviceListings", "deviceModels", "deviceDays", "queue/workers", "queue/leases"],
  job: ["orders", "queue/jobs", "queue/attempts"],
  member: ["members"],
} as const;

/** Copy `n` of a row of a table. */
type Copy = (table: string, n: number) => Row;

/** The key of copy `n` of the device. */
export function deviceKey(n: number): string {
  return `gd_benchmark${String(n)}`;
}

/**
 * Makes a real device with a real job, and fills the organization with copies of their rows by an import. A slow machine gets
 * fewer jobs.
 */
export async function seed(
  farm: Farm,
  folder: string,
  rounds: number,
  say: (line: string) => void,
): Promise<Seeded & { readonly lastDevice: LastDevice }> {
  const donor = await farm.startDonor("sample");
  const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  const messages = [{ role: "user" as const, content: "What is the capital of Greece?" }];
  const request = { model: farm.modelId, messages, temperature: 0 };
  await client.chat.completions.create(request, { timeout: firstAnswerWithinMs });
  await donor.stop();
  const [device, job, member] = await Promise.all([
    sample(farm, tablesOf.device),
    sample(farm, tablesOf.job),
    sample(farm, tablesOf.member),
  ]);
  const now = Date.now();
  say(`${wanted.devices} devices and ${wanted.members} members`);
  const write = async (tables: readonly string[], of: readonly number[], copy: Copy): Promise<string> =>
    await writeRows(folder, tables, of, copy);
  await importRows(
    farm,
    await write(tablesOf.device, numbers(0, wanted.devices), (table, n) => deviceCopy(device, table, n, now)),
  );
  await importRows(
    farm,
    await write(tablesOf.member, numbers(0, wanted.members), (table, n) => memberCopy(member, table, n)),
  );
  const portionOf = async (portion: number): Promise<string> =>
    await write(tablesOf.job, numbers(portion * jobsAtOnce, (portion + 1) * jobsAtOnce), (table, n) =>
      jobCopy(job, device, table, n, now),
    );
  let jobs = 0;
  let next = portionOf(0);
  for (const portion of repetitions(wanted.jobs / jobsAtOnce, rounds * jobsMsPerRound)) {
    const file = await next;
    // The next portion is written while the backend imports this one.
    next = portionOf(portion + 1);
    await importRows(farm, file);
    jobs += jobsAtOnce;
    say(`${jobs} jobs`);
  }
  await rm(await next);
  const number = wanted.devices - 1;
  const lastDevice: LastDevice = {
    number,
    id: copiedId(idOf(device["devices"] ?? {}), number),
    *oldJobs(): Generator<string, never> {
      for (let n = oldJobsFrom; ; n += 1) yield copiedId(idOf(job["queue/jobs"] ?? {}), n);
    },
  };
  await untilCounted(farm, say);
  return { ...wanted, jobs, lastDevice };
}

/** Waits until the backend has counted all devices: until then each count changes what the pages show. */
async function untilCounted(farm: Farm, say: (line: string) => void): Promise<void> {
  const startedAt = Date.now();
  const client = adminOf(farm);
  const page = { numItems: 1, cursor: null };
  for (;;) {
    const { page: rows } = (await client.function(tableData, undefined, {
      table: "deviceCounts",
      order: "desc",
      paginationOpts: page,
    })) as { readonly page: readonly { readonly states: Readonly<Record<string, number>> }[] };
    const counted = Object.values(rows[0]?.states ?? {}).reduce((sum, number) => sum + number, 0);
    if (counted >= wanted.devices || Date.now() - startedAt > countedWithinMs) {
      say(`${counted} devices are counted`);
      return;
    }
    await sleep(1_000);
  }
}

function deviceCopy(rows: Rows, table: string, n: number, now: number): Row {
  const name = `laptop-${String(n).padStart(5, "0")}`;
  const keyHash = hashSecret(deviceKey(n));
  const at = now - (n + 1) * 1_000;
  const changes: Rows = {
    devices: { name, keyHash, enrolledAt: at, lastChangeAt: at },
    deviceListings: {
      name,
      sortName: `laptop-${String(n).padStart(12, "0")}`,
      changedAt: at,
      enrolledAt: at,
      // Counted by the next count of the fleet.
      recount: true,
    },
    "queue/workers": { name, keyHash, position: (n * 7_919) % 65_536, registeredAt: at, lastChangeAt: at },
    // It stays online, although nothing calls.
    "queue/leases": { keyHash, lastSeenAt: now, deadline: now + 2 * hourMs },
  };
  // A copy is not counted yet. With the facts that its model was counted by, it would count as no more than that one.
  const { counted: _, ...row } = copyOf(rows, table, n);
  return { ...row, ...changes[table] };
}

function memberCopy(rows: Rows, table: string, n: number): Row {
  const name = `Member ${String(n).padStart(3, "0")}`;
  const email = `member${String(n)}@example.org`;
  return { ...copyOf(rows, table, n), name, email, roles: ["requester"] };
}

function jobCopy(rows: Rows, device: Rows, table: string, n: number, now: number): Row {
  const submittedAt = now - (n + 1) * apartMs;
  const ran = { startedAt: submittedAt + 800, finishedAt: submittedAt + 2_000 };
  const row = copyOf(rows, table, n);
  if (table === "queue/attempts") {
    const worker = n % wanted.devices;
    const workerId = copiedId(idOf(device["queue/workers"] ?? {}), worker);
    const keyHash = hashSecret(deviceKey(worker));
    return { ...row, claimedAt: ran.startedAt, endedAt: ran.finishedAt, workerId, keyHash };
  }
  if (table !== "queue/jobs") return row;
  // Its payload was deleted a day after its end.
  const { purgeAt: _, ...job } = row;
  return {
    ...job,
    ...ran,
    submittedAt,
    readyAt: submittedAt,
    rank: submittedAt,
    place: n,
    dice: (n * 0.618_033_988_75) % 1,
    externalId: `order-${String(n)}`,
    idempotencyKey: `idempotency-${String(n)}`,
  };
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

const tableData = makeFunctionReference<"query">("_system/cli/tableData");

type AdminClient = {
  setAdminAuth(key: string): void;
  function(reference: unknown, component: string | undefined, args: unknown): Promise<unknown>;
};

function adminOf({ backend, adminKey }: Farm): AdminClient {
  const client = new ConvexHttpClient(backend.url, { logger: false }) as unknown as AdminClient;
  client.setAdminAuth(adminKey);
  return client;
}

/** The newest row of each table. */
async function sample(farm: Farm, tables: readonly string[]): Promise<Rows> {
  const client = adminOf(farm);
  const rows = tables.map(async (table) => {
    const component = table.startsWith("queue/") ? "queue" : undefined;
    const paginationOpts = { numItems: 1, cursor: null };
    const args = { table: table.replace("queue/", ""), order: "desc", paginationOpts };
    const { page } = (await client.function(tableData, component, args)) as {
      readonly page: readonly Value[];
    };
    const row = page[0];
    if (row === undefined) throw new Error(`The table ${table} has no row to copy.`);
    return [table, convexToJson(row) as Row] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** Writes copies as an export, and returns the file. */
async function writeRows(
  folder: string,
  tables: readonly string[],
  of: readonly number[],
  copy: Copy,
): Promise<string> {
  const file = join(folder, `copies-${randomUUID()}.zip`);
  await writeZip(file, async (zip) => {
    for (const table of tables) {
      const path = table.replace(/^(\w+)\//, "_components/$1/");
      await zip.add(`${path}/generated_schema.jsonl`, ['"uniform"\n']);
      await zip.add(`${path}/documents.jsonl`, lines(table, of, copy), { compress: false });
    }
  });
  return file;
}

/** Adds the rows of a file by `npx convex import`, in one step. */
async function importRows({ backend, adminKey }: Farm, file: string): Promise<void> {
  const cli = join(import.meta.dirname, "../../node_modules/convex/bin/main.js");
  const where = ["--url", backend.url, "--admin-key", adminKey];
  await promisify(execFile)(process.execPath, [cli, "import", "--append", "-y", file, ...where]);
  await rm(file);
}

/** The rows of one table, in blocks of some hundred lines. */
function* lines(table: string, of: readonly number[], copy: Copy): Generator<string> {
  let block = "";
  for (const n of of) {
    block += exportLine(copy(table, n));
    if (block.length < 65_536) continue;
    yield block;
    block = "";
  }
  yield block;
}

import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { bucketOf, spans } from "../../app/statistics/spans.ts";
import { makeClient } from "../../launch/farm/ask.ts";
import type { Farm } from "../../launch/farm/farm.ts";
import { hashSecret } from "../../launch/organization/secrets.ts";
import { repetitions } from "../support/repetitions.ts";
import { copiedId, copyOf, idOf, type Row, type Rows } from "./copies.ts";
import { historyOf, measuredModels } from "./history-rows.ts";
import { importFile, importRows, newestRows, sample, type Tables, writeRows } from "./import-rows.ts";
import { trailRows } from "./trail-rows.ts";
import {
  depthRows,
  organizationMonths,
  ownDays,
  progressRow,
  row,
  statisticsRows,
  subjectMonths,
  type Subjects,
} from "./usage-rows.ts";

/** The numbers of things that were added. */
export type Seeded = {
  readonly devices: number;
  readonly members: number;
  readonly keys: number;
  readonly jobs: number;
  /** Rows that have sums: by day and month of each key, member, model and device, by hour, by five minutes and by minute. */
  readonly usageRows: number;
  /** Entries of the audit trail. All of them are sealed. */
  readonly auditRows: number;
};

/** The things that pages show, and the device that comes last in lists. */
export type Landmarks = {
  readonly device: { readonly id: string; readonly name: string };
  readonly job: { readonly id: string; readonly externalId: string };
  readonly last: LastDevice;
};

export type LastDevice = {
  readonly number: number;
  readonly id: string;
  /** The ids of jobs that no page shows without paging, each once. */
  readonly oldJobs: () => Generator<string, never>;
};

const wanted = { devices: 10_000, members: 200, jobs: 1_000_000, auditRows: 10_000 };
/** Jobs are added in portions, until their time has passed. */
const jobsAtOnce = 25_000;
const countedWithinMs = 90_000;
const oldJobsFrom = 10_000;
const firstAnswerWithinMs = 180_000;
/** The time between two submissions: the jobs are of the last 30 days. */
const apartMs = 2_592;
const budgets = 60;
const micro = (credits: number): bigint => BigInt(credits) * 1_000_000n;

/** The device and the job with pages of their own. Every 25th job is the device's, so that it has a long history. */
const shownDevice = 0;
const shownJob = 0;
const deviceOfJob = (n: number): number => (n % 25 === 1 ? shownDevice : n % wanted.devices);
/** How often a device gave the job back before another one answered it. */
const returnsOf = (n: number): number => (n === shownJob ? 39 : n % 4 === 0 ? 2 : 0);

/** Rows of the app, and of its component `queue`. */
const tablesOf = {
  organization: ["organizations", "members", "apiKeys", "audit"],
  device: ["devices", "deviceListings", "deviceModels", "deviceDays", "queue/workers", "queue/leases"],
  job: ["orders", "queue/jobs", "queue/attempts"],
} as const;

/** The key of copy `n` of the device. */
export function deviceKey(n: number): string {
  return `gd_benchmark${String(n)}`;
}

/**
 * Makes a real device with a real job, and fills the organization by imports: with copies of their rows, and with what real use
 * leaves of usage and of the audit trail. `jobsWithinMs`: the time that is left for jobs.
 */
export async function seed(
  farm: Farm,
  folder: string,
  jobsWithinMs: () => number,
  say: (line: string) => void,
): Promise<{ readonly seeded: Seeded; readonly landmarks: Landmarks }> {
  const organization = await sample(farm, tablesOf.organization);
  const startedAt = Number(organization["organizations"]?.["createdAt"]);
  const [people] = await Promise.all([addPeople(farm, folder, organization, startedAt), runFirstJob(farm)]);
  say(`${people.members.length} members and keys, ${people.auditRows} audit rows`);
  const [device, job] = await Promise.all([sample(farm, tablesOf.device), sample(farm, tablesOf.job)]);
  const now = Date.now();
  await importRows(farm, folder, deviceTables(device, now));
  say(`${wanted.devices} devices`);
  const devices = numbers(0, wanted.devices).map((n) => copiedId(idOf(device["devices"] ?? {}), n));
  const subjects = { ...people, devices };
  const usageRows = await importRows(farm, folder, {
    statistics: statisticsRows(subjects, bucketOf(startedAt - 1, spans.short)),
    usageMonths: subjectMonths(subjects, startedAt),
    ownUsageDays: ownDays(subjects, startedAt),
    queueDepths: depthRows(subjects, startedAt),
  });
  say(`${usageRows} usage rows`);
  await importRows(farm, folder, historyOf(people.organizationId, devices[shownDevice] ?? "", now));
  const jobs = await addJobs(farm, folder, { job, device, keys: people.keys, now }, jobsWithinMs(), say);
  await untilCounted(farm, say);
  const number = wanted.devices - 1;
  const jobId = (n: number): string => copiedId(idOf(job["queue/jobs"] ?? {}), n);
  return {
    seeded: {
      devices: wanted.devices,
      members: people.members.length,
      keys: people.keys.length,
      jobs,
      usageRows,
      auditRows: people.auditRows,
    },
    landmarks: {
      device: { id: devices[shownDevice] ?? "", name: deviceName(shownDevice) },
      job: { id: jobId(shownJob), externalId: externalIdOf(shownJob) },
      last: {
        number,
        id: devices[number] ?? "",
        *oldJobs(): Generator<string, never> {
          for (let n = oldJobsFrom; ; n += 1) yield jobId(n);
        },
      },
    },
  };
}

/**
 * Adds members with a key each, budgets, the organization's months, and the audit trail. It comes first: no entry of the trail may be
 * sealed before, and nothing of the organization's months counted, which both begin after half a minute. A machine that is too slow
 * for that gets no audit rows.
 */
async function addPeople(
  farm: Farm,
  folder: string,
  rows: Rows,
  startedAt: number,
): Promise<Subjects & { readonly auditRows: number }> {
  const all = numbers(0, wanted.members);
  const idsOf = (table: string): string[] => all.map((n) => copiedId(idOf(rows[table] ?? {}), n));
  const [members, keys] = [idsOf("members"), idsOf("apiKeys")];
  const subjects = { organizationId: farm.organization.organizationId, members, keys, devices: [] };
  const { organizationId } = subjects;
  const trail = await trailRows(
    subjects,
    { id: idOf(rows["audit"] ?? {}), count: wanted.auditRows, until: startedAt - 60_000 },
    (text) => Promise.resolve(hashSecret(text)),
  );
  const [seals, progress] = await Promise.all([
    newestRows(farm, "auditSeals"),
    newestRows(farm, "statisticsProgress"),
  ]);
  const isSealed = seals.length > 0;
  await importRows(farm, folder, {
    ...(isSealed ? {} : trail),
    ...(progress.length > 0 ? {} : { statisticsProgress: [progressRow(subjects, startedAt - 1)] }),
    members: all.map((n) => memberCopy(rows, n)),
    apiKeys: all.map((n) => keyCopy(rows, n, members[n] ?? "")),
    accounts: keys.map((key) =>
      row({ organizationId, account: `key:${key}`, balanceMicro: micro(1_000), jobs: 0 }),
    ),
    budgets: [...keys.slice(0, budgets / 2), ...members.slice(0, budgets / 2)].map((subject) =>
      row({ organizationId, subject, monthlyMicro: micro(50), createdAt: startedAt }),
    ),
    usageMonths: organizationMonths(subjects, startedAt),
  });
  return { ...subjects, auditRows: isSealed ? 0 : wanted.auditRows };
}

/** A real device answers a real request, so that there are rows to copy. */
async function runFirstJob(farm: Farm): Promise<void> {
  const donor = await farm.startDonor("sample");
  const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  const messages = [{ role: "user" as const, content: "What is the capital of Greece?" }];
  const request = { model: farm.modelId, messages, temperature: 0 };
  await client.chat.completions.create(request, { timeout: firstAnswerWithinMs });
  await donor.stop();
}

function deviceTables(rows: Rows, now: number): Tables {
  const copies = tablesOf.device.map(
    (table) => [table, map(wanted.devices, (n) => deviceCopy(rows, table, n, now))] as const,
  );
  const organizationId = rows["devices"]?.["organizationId"];
  const accounts = map(wanted.devices, (n) => {
    const account = `device:${copiedId(idOf(rows["devices"] ?? {}), n)}`;
    return row({ organizationId, account, balanceMicro: micro(3), jobs: 100 });
  });
  return { ...Object.fromEntries(copies), accounts };
}

type JobSeed = {
  readonly job: Rows;
  readonly device: Rows;
  readonly keys: readonly string[];
  readonly now: number;
};

async function addJobs(
  farm: Farm,
  folder: string,
  from: JobSeed,
  withinMs: number,
  say: (line: string) => void,
): Promise<number> {
  const portionOf = async (portion: number): Promise<string> => {
    const of = numbers(portion * jobsAtOnce, (portion + 1) * jobsAtOnce);
    const { file } = await writeRows(folder, jobTables(from, of));
    return file;
  };
  let jobs = 0;
  let next = portionOf(0);
  for (const portion of repetitions(wanted.jobs / jobsAtOnce, withinMs)) {
    const file = await next;
    // The next portion is written while the backend imports this one.
    next = portionOf(portion + 1);
    await importFile(farm, file);
    jobs += jobsAtOnce;
    say(`${jobs} jobs`);
  }
  await rm(await next);
  return jobs;
}

function jobTables(from: JobSeed, of: readonly number[]): Tables {
  return {
    orders: of.map((n) => orderCopy(from, n)),
    "queue/jobs": of.map((n) => jobCopy(from, n)),
    "queue/attempts": of.flatMap((n) => attemptCopies(from, n)),
    // The shown device has its own.
    earnings: of.filter((n) => deviceOfJob(n) !== shownDevice).map((n) => earningOf(from, n)),
  };
}

/** Waits until the backend has counted all devices: until then each count changes what the pages show. */
async function untilCounted(farm: Farm, say: (line: string) => void): Promise<void> {
  const startedAt = Date.now();
  for (;;) {
    const [counts] = await newestRows(farm, "deviceCounts");
    const states = (counts?.["states"] ?? {}) as Readonly<Record<string, number>>;
    const counted = Object.values(states).reduce((sum, number) => sum + number, 0);
    if (counted >= wanted.devices || Date.now() - startedAt > countedWithinMs) {
      say(`${counted} devices are counted`);
      return;
    }
    await sleep(1_000);
  }
}

const deviceName = (n: number): string => `laptop-${String(n).padStart(5, "0")}`;
const externalIdOf = (n: number): string => `order-${String(n)}`;

function deviceCopy(rows: Rows, table: string, n: number, now: number): Row {
  const name = deviceName(n);
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
    ...(n === shownDevice ? { deviceModels: { models: measuredModels() } } : {}),
    "queue/workers": { name, keyHash, position: (n * 7_919) % 65_536, registeredAt: at, lastChangeAt: at },
    // It stays online, although nothing calls.
    "queue/leases": { keyHash, lastSeenAt: now, deadline: now + 2 * spans.hour },
  };
  // A copy is not counted yet. With the facts that its model was counted by, it would count as no more than that one.
  const { counted: _, ...copy } = copyOf(rows, table, n);
  return { ...copy, ...changes[table] };
}

function memberCopy(rows: Rows, n: number): Row {
  const name = `Member ${String(n).padStart(3, "0")}`;
  const email = `member${String(n)}@example.org`;
  return { ...copyOf(only(rows, "members"), "members", n), name, email, roles: ["requester"] };
}

function keyCopy(rows: Rows, n: number, owner: string): Row {
  const name = `Program ${String(n).padStart(3, "0")}`;
  const keyHash = hashSecret(`sk-benchmark${String(n)}`);
  return { ...copyOf(only(rows, "apiKeys"), "apiKeys", n), name, keyHash, owner };
}

/** One table of rows: a copy of its row stays with the other rows. */
function only(rows: Rows, table: string): Rows {
  return { [table]: rows[table] ?? {} };
}

function keyOfJob(keys: readonly string[], n: number): string {
  return keys[n % keys.length] ?? "";
}

function orderCopy({ job, keys }: JobSeed, n: number): Row {
  return { ...copyOf(job, "orders", n), apiKeyId: keyOfJob(keys, n) };
}

function timesOf(n: number, now: number): { readonly submittedAt: number; readonly finishedAt: number } {
  const submittedAt = now - (n + 1) * apartMs;
  return { submittedAt, finishedAt: submittedAt + 2_000 };
}

function jobCopy({ job: rows, keys, now }: JobSeed, n: number): Row {
  const { submittedAt, finishedAt } = timesOf(n, now);
  // Its payload was deleted a day after its end.
  const { purgeAt: _, ...job } = copyOf(rows, "queue/jobs", n);
  return {
    ...job,
    submittedAt,
    startedAt: submittedAt + 800,
    finishedAt,
    readyAt: submittedAt,
    rank: submittedAt,
    place: n,
    dice: (n * 0.618_033_988_75) % 1,
    requester: keyOfJob(keys, n),
    externalId: externalIdOf(n),
    idempotencyKey: `idempotency-${String(n)}`,
    attempts: returnsOf(n) + 1,
  };
}

/** The attempt that answered the job, and before it those of devices that gave it back. */
function attemptCopies({ job, device, now }: JobSeed, n: number): Row[] {
  const { submittedAt, finishedAt } = timesOf(n, now);
  const attempt = copyOf(job, "queue/attempts", n);
  const by = (worker: number): Row => ({
    workerId: copiedId(idOf(device["queue/workers"] ?? {}), worker),
    keyHash: hashSecret(deviceKey(worker)),
  });
  const { _id, report: _, reply: __, ...unanswered } = attempt;
  const returned = numbers(0, returnsOf(n)).map((at): Row => ({
    ...unanswered,
    ...by((n + 1 + at * 37) % wanted.devices),
    number: at + 1,
    status: "released",
    releaseReason: "in-use",
    claimedAt: submittedAt + at * 10,
    endedAt: submittedAt + at * 10 + 9,
  }));
  const number = returned.length + 1;
  const answered = { ...attempt, ...by(deviceOfJob(n)), number, claimedAt: submittedAt + 800 };
  return [...returned, { ...answered, endedAt: finishedAt }];
}

function earningOf({ device, now }: JobSeed, n: number): Row {
  const account = `device:${copiedId(idOf(device["devices"] ?? {}), deviceOfJob(n))}`;
  const startAt = bucketOf(timesOf(n, now).finishedAt, spans.short * 3);
  return row({ account, startAt, micro: 42n, jobs: 1 });
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** Makes rows one at a time: all of them would be much memory. */
function* map(count: number, of: (n: number) => Row): Generator<Row> {
  for (let n = 0; n < count; n += 1) yield of(n);
}

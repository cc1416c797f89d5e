import { expect } from "vitest";
import type { FinalEvent } from "../../shared/validators.ts";
import type { Doc } from "../model/builders.ts";
import { capacityOf, maxHeld } from "../model/capabilities.ts";
import { hasTurn, isFinal, isHeld } from "../model/jobs/states.ts";
import { ringSize, seats } from "../model/placement.ts";
import type { Backend } from "./queue.fixture.ts";

type Rows = Awaited<ReturnType<typeof rowsOf>>;

export async function rowsOf(t: Backend) {
  return await t.run(async ({ db }) => ({
    jobs: await db.query("jobs").collect(),
    attempts: await db.query("attempts").collect(),
    workers: await db.query("workers").collect(),
    lanes: await db.query("lanes").collect(),
    homes: await db.query("homes").collect(),
    stands: await db.query("stands").collect(),
    limits: await db.query("limits").collect(),
    dependencies: await db.query("dependencies").collect(),
    recalls: await db.query("recalls").collect(),
    stragglerChecks: await db.query("stragglerChecks").collect(),
    batches: await db.query("batches").collect(),
    batchEnds: await db.query("batchEnds").collect(),
    payloads: await db.query("payloads").collect(),
    results: await db.query("results").collect(),
    chunks: await db.query("chunks").collect(),
  }));
}

/** Checks what must hold after each step. @param ends the ends that the app was told of. */
export function checkInvariants(rows: Rows, ends: readonly FinalEvent[]): void {
  for (const job of rows.jobs) {
    checkJob(
      job,
      rows.attempts.filter(({ jobId }) => jobId === job._id),
    );
    const told = ends.filter(({ jobId }) => jobId === job._id);
    const rounds = Array.from({ length: job.round + (isFinal(job.status) ? 1 : 0) }, (_, round) => round);
    expect(told.map(({ round }) => round).sort(), `ends reported of ${job._id}, ${job.status}`).toEqual(
      rounds,
    );
    if (isFinal(job.status)) expect(told.find(({ round }) => round === job.round)?.outcome).toBe(job.status);
  }
  checkLimits(rows);
  for (const worker of rows.workers) checkWorker(rows, worker);
  const due = rows.recalls[0]?.due ?? 0;
  for (const { suspectAt, open } of rows.attempts) {
    if (suspectAt !== undefined) expect(open, "a suspected attempt is open").toBe(true);
  }
  for (const { handedAt = 0, open } of rows.attempts) {
    if (handedAt === 0) continue;
    expect(open, "a handed-over job is held").toBe(true);
    expect(due, "its check is scheduled").toBeGreaterThanOrEqual(handedAt + 2_000);
  }
  checkHanded(rows);
}

/** A worker sees the job that it was handed, and none that was taken from it before it began. */
function checkHanded({ attempts, payloads }: Rows): void {
  for (const { _id, jobId, keyHash, handedAt } of attempts) {
    if (handedAt === undefined) continue;
    const row = payloads.find((payload) => payload.jobId === jobId);
    expect(row).toMatchObject({ handedTo: keyHash, handed: { attemptId: _id } });
  }
  for (const { handed, handedTo } of payloads) {
    expect(handedTo !== undefined).toBe(handed !== undefined);
    const attempt = attempts.find(({ _id }) => _id === handed?.attemptId);
    if (attempt === undefined || attempt.open || attempt.startedAt !== undefined) continue;
    expect(["succeeded", "failed"], "a handed attempt that never began").toContain(attempt.status);
  }
}

function checkJob(job: Doc<"jobs">, attempts: readonly Doc<"attempts">[]): void {
  const { _id, status, place, dice } = job;
  const open = attempts.filter((attempt) => attempt.open);
  const current = open.find((attempt) => attempt._id === job.currentAttemptId);
  const second = open.find((attempt) => attempt._id === job.secondAttemptId);
  const held = isHeld(status);
  const isPair = job.secondAttemptId !== undefined;
  expect(open.length, `open attempts of ${_id}, ${status}`).toBe(isPair ? 2 : held ? 1 : 0);
  if (held) expect(current?.status).toBe(status);
  if (isPair) {
    expect(status).toBe("running");
    expect(second?.number, "the second attempt is the last one").toBe(job.attempts);
    expect(second?.workerId).not.toBe(current?.workerId);
  }
  expect(attempts).toHaveLength(job.attempts);
  const isHidden = place >= ringSize * seats || dice >= 1;
  if (status === "prefetched") expect(isHidden).toBe(current?.handedAt !== undefined);
  else if (!held && !isFinal(status)) expect(isHidden, `${_id} is hidden, ${status}`).toBe(false);
  expect(job.waitsFor !== undefined).toBe(status === "waiting");
  expect(job.turnOf !== undefined).toBe(job.waitsFor === "turn");
  expect(job.dueAt !== undefined).toBe(job.waitsFor === "time");
  expect(job.finishedAt !== undefined).toBe(isFinal(status));
}

function checkLimits({ jobs, limits }: Rows): void {
  for (const { of, name, concurrency = Infinity } of limits) {
    const having = jobs.filter((job) => job[of] === name && hasTurn(job.status));
    expect(having.length, `${of} ${name}`).toBeLessThanOrEqual(concurrency);
  }
}

function checkWorker({ attempts, homes, stands, lanes }: Rows, worker: Doc<"workers">): void {
  const { _id, name, position, capabilities, status } = worker;
  const of = <Row extends { readonly workerId: string }>(rows: readonly Row[]) =>
    rows.filter(({ workerId }) => workerId === _id);
  const { running } = capacityOf(capabilities);
  const [waiting, atHome, held] = [of(stands), of(homes), of(attempts).filter(({ open }) => open)];
  expect(held.length, `held by ${name}`).toBeLessThanOrEqual(maxHeld);
  for (const rows of [waiting, atHome]) {
    expect(new Set(rows.map(({ laneId }) => laneId)).size, `rows of ${name}`).toBe(rows.length);
    for (const row of rows) expect(row.position % ringSize).toBe(position);
  }
  for (const { laneId, scope, lane } of waiting) {
    const known = lanes.find((each) => each._id === laneId);
    expect([scope, lane]).toEqual([known?.scope, known?.name]);
    if (laneId !== null) expect(atHome.some((home) => home.laneId === laneId)).toBe(true);
  }
  const begun = held.filter((attempt) => attempt.status === "running");
  if (begun.length >= running || status !== "active") expect(waiting, `${name} waits nowhere`).toEqual([]);
}

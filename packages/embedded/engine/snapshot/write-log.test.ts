import { describe, expect, test } from "vitest";
import { CommitChanges } from "./commit-changes.ts";
import { WriteLog } from "./write-log.ts";

const retention = { windowMs: 100, maxIdleKeys: 10, maxHeldKeys: 16 };
const table = { indexes: [{ qualified: "t.by_id" }] };
const changes = new CommitChanges([{ id: "d", table, before: null, old: [], added: [["\x01", "\x02"]] }]);

/** Commits 1, 2, … n of two keys each, made at 10 ms, 20 ms, … */
function logOf(count: number): WriteLog {
  const log = new WriteLog(0n);
  for (let i = 1; i <= count; i++) log.append({ ts: BigInt(i), madeAt: i * 10, changes });
  return log;
}

function timestamps(log: WriteLog, since: bigint): bigint[] {
  return log.since(since).map(({ ts }) => ts);
}

test("the log finds the commits after a timestamp", () => {
  const log = logOf(4);
  expect(timestamps(log, 0n)).toEqual([1n, 2n, 3n, 4n]);
  expect(timestamps(log, 2n)).toEqual([3n, 4n]);
  expect(timestamps(log, 4n)).toEqual([]);
  expect(log.newest).toBe(4n);
});

describe("trimming", () => {
  test("trimming keeps commits younger than the window", () => {
    const log = logOf(4);
    log.trim(125, null, retention);
    expect(timestamps(log, 0n)).toEqual([3n, 4n]);
    expect(log.floor).toBe(2n);
  });

  test("trimming keeps no more than the limit when no transaction needs more", () => {
    const log = logOf(9);
    log.trim(91, null, retention);
    expect(log.size).toBe(5);
    expect(log.floor).toBe(4n);
  });

  test("trimming keeps the commits that a live transaction needs, at any age", () => {
    const log = logOf(4);
    log.trim(10_000, 1n, retention);
    expect(timestamps(log, 1n)).toEqual([2n, 3n, 4n]);
    expect(log.floor).toBe(1n);
  });

  test("trimming bounds the log even for a live transaction", () => {
    const log = logOf(20);
    log.trim(10_000, 1n, retention);
    expect(log.size).toBe(8);
    expect(log.floor).toBe(12n);
  });

  test("a reset leaves only the newest snapshot", () => {
    const log = logOf(3);
    log.trim(10_000, null, retention);
    expect(log.size).toBe(0);
    expect(log.floor).toBe(3n);
    expect(log.newest).toBe(3n);
  });
});

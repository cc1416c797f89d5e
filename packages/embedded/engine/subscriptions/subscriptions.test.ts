import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { KeyRange } from "../../values/keys/index-range.ts";
import { compareKeys, type Key, keyFromBytes } from "../../values/keys/key.ts";
import { collect, insertOne, mutate, read, where } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { Engine, ReadSet, Timestamp } from "../model/types.ts";
import { CommitChanges } from "../snapshot/commit-changes.ts";
import { Subscriptions } from "./subscriptions.ts";

const key = fc.uint8Array({ maxLength: 2, max: 3 }).map(keyFromBytes);
const range = fc.record({
  table: fc.constant("t"),
  index: fc.constantFrom("a", "b"),
  lower: key,
  upper: fc.option(key),
});
const commit = fc.array(fc.tuple(fc.constantFrom("t.a", "t.b"), key), { maxLength: 3 });

function contains({ lower, upper }: KeyRange, at: Key): boolean {
  return compareKeys(lower, at) <= 0 && (upper === null || compareKeys(at, upper) < 0);
}

test("each subscriber is called once, with the first later commit that writes into its ranges", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.array(range, { maxLength: 3 }), fc.nat(4)), { maxLength: 8 }),
      fc.array(commit, { maxLength: 6 }),
      (readers, commits) => {
        const subscriptions = new Subscriptions();
        const calls = readers.map(([ranges, since]) => {
          const called: Timestamp[] = [];
          subscriptions.add({ ranges, size: ranges.length }, BigInt(since), (ts) => called.push(ts));
          return called;
        });
        for (const [i, keys] of commits.entries()) {
          const changes = keys.map(([index, at]) => {
            const table = { indexes: [{ qualified: index }] };
            return { id: "", table, before: null, old: [], added: [[at]] };
          });
          subscriptions.notify([{ ts: BigInt(i + 1), madeAt: 0, changes: new CommitChanges(changes) }]);
        }
        const expected = readers.map(([ranges, since]) => {
          const meets = ([index, at]: [string, Key]): boolean =>
            ranges.some((each) => `${each.table}.${each.index}` === index && contains(each, at));
          const first = commits.findIndex((keys, i) => i + 1 > since && keys.some(meets));
          return first < 0 ? [] : [BigInt(first + 1)];
        });
        expect(calls).toEqual(expected);
        expect(subscriptions.size).toBe(expected.filter((each) => each.length === 0).length);
      },
    ),
    { numRuns: 300 },
  );
});

describe("subscriptions of an engine", () => {
  let engine: Engine;
  beforeEach(() => {
    engine = openEngine({ path: ":memory:" });
    engine.applySchema([{ name: "jobs", indexes: [{ name: "by_state", fields: ["state"] }] }]);
  });
  afterEach(() => engine.close());

  function readSetOf(state: string): ReadSet {
    return read(engine, (transaction) => {
      collect(transaction, where(engine, "jobs", "by_state", ["Eq", "state", state]));
      return transaction.readSet;
    });
  }

  test("a subscriber is called once a commit is durable", async () => {
    const heard = vi.fn<(ts: Timestamp) => void>();
    engine.subscribe(readSetOf("ready"), engine.durable(), heard);
    expect(engine.stats().subscriptions).toBe(1);
    await insertOne(engine, "jobs", { state: "done" });
    expect(heard).not.toHaveBeenCalled();
    await insertOne(engine, "jobs", { state: "ready" });
    expect(heard.mock.calls).toEqual([[engine.durable()]]);
    await insertOne(engine, "jobs", { state: "ready" });
    expect(heard).toHaveBeenCalledOnce();
    expect(engine.stats().subscriptions).toBe(0);
  });

  test("a subscriber is called asynchronously for a commit made before it subscribed", async () => {
    const reads = readSetOf("ready");
    const since = engine.durable();
    await insertOne(engine, "jobs", { state: "ready" });
    const missed = engine.durable();
    await insertOne(engine, "jobs", { state: "ready" });
    const heard = vi.fn<(ts: Timestamp) => void>();
    engine.subscribe(reads, since, heard);
    engine.subscribe(reads, since, () => expect.fail("It was ended."))();
    expect(heard).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([[missed]]));
  });

  test("a subscriber is not called for commits that it has read, even if they are not on disk yet", async () => {
    const writer = engine.begin();
    writer.insert("jobs", { state: "ready" });
    const committed = engine.commit(writer);
    const reader = engine.begin();
    collect(reader, where(engine, "jobs", "by_state"));
    const heard = vi.fn();
    engine.subscribe(reader.readSet, reader.snapshot, heard);
    engine.discard(reader);
    await committed;
    expect(heard).not.toHaveBeenCalled();
  });

  test("a subscriber is called when the commits since its snapshot are no longer known", async () => {
    const heard = vi.fn<(ts: Timestamp) => void>();
    engine.subscribe(readSetOf("ready"), 0n, heard);
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([[engine.durable()]]));
  });

  test("an ended subscription is not called", async () => {
    const heard = vi.fn();
    const end = engine.subscribe(readSetOf("ready"), engine.durable(), heard);
    end();
    end();
    await insertOne(engine, "jobs", { state: "ready" });
    expect(heard).not.toHaveBeenCalled();
  });

  test("a subscriber is called for a schema change, and may subscribe again from its callback", async () => {
    const heard: Timestamp[] = [];
    const listen = (ts: Timestamp): void => {
      heard.push(ts);
      engine.subscribe(readSetOf("ready"), ts, listen);
    };
    engine.subscribe(readSetOf("ready"), engine.durable(), listen);
    const wider = { name: "by_size", fields: ["size"] };
    engine.applySchema([{ name: "jobs", indexes: [{ name: "by_state", fields: ["state"] }, wider] }]);
    const migrated = engine.durable();
    await mutate(engine, (transaction) => transaction.insert("jobs", { state: "ready" }));
    expect(heard).toEqual([migrated, engine.durable()]);
  });
});

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fullRange } from "../../values/keys/index-range.ts";
import { compareKeys, emptyKey, type Key, successor } from "../../values/keys/key.ts";
import { collect, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { indexEntry, type TableEntry } from "../model/catalog.ts";
import { indexKeys } from "../model/index-keys.ts";
import { Store } from "./store.ts";

const indexes = [
  indexEntry(1, "jobs", { name: "by_id", fields: [] }),
  indexEntry(2, "jobs", { name: "by_n", fields: ["n"] }),
];
const table: TableEntry = { number: 10_001, name: "jobs", indexes };
const [, byN] = indexes as [TableEntry["indexes"][0], TableEntry["indexes"][0]];

type Job = {
  readonly _id: string;
  readonly _creationTime: number;
  readonly n: number;
  readonly text?: string;
};

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      at: fc.nat({ max: 7 }),
      n: fc.nat({ max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), at: fc.nat({ max: 7 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("commit" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("apply" as const) }) },
);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-unapplied-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a job as a commit does: its document, and the entries that change. */
function write(store: Store, jobs: Map<string, Job>, id: string, next: Job | null): void {
  const before = jobs.get(id) ?? null;
  if (next === null) {
    if (before === null) return;
    store.deleteDocument(id);
    jobs.delete(id);
  } else {
    store.putDocument(id, table.number, JSON.stringify(next));
    jobs.set(id, next);
  }
  for (const index of indexes) {
    const from = before === null ? null : (indexKeys(index, before)[0] as Key);
    const to = next === null ? null : (indexKeys(index, next)[0] as Key);
    if (from !== null && to !== null && compareKeys(from, to) === 0) continue;
    if (from !== null) store.deleteEntry(index, from);
    if (to !== null) store.putEntry(index, to, id);
  }
}

/** Compares every kind of read with a plain list. */
function expectSame(store: Store, jobs: ReadonlyMap<string, Job>): void {
  const sorted = [...jobs.values()]
    .map((job) => ({ key: indexKeys(byN, job)[0] as Key, id: job._id, json: JSON.stringify(job) }))
    .sort((a, b) => compareKeys(a.key, b.key));
  const ranges: readonly [Key, Key | null][] = [
    [emptyKey, null],
    ...sorted.map(({ key }): [Key, Key | null] => [key, null]),
    ...sorted.map(({ key }): [Key, Key | null] => [emptyKey, successor(key)]),
  ];
  for (const [lower, upper] of ranges) {
    const inside = sorted.filter(
      ({ key }) => compareKeys(key, lower) >= 0 && (upper === null || compareKeys(key, upper) < 0),
    );
    expect(store.count(byN, lower, upper)).toBe(inside.length);
    for (const limit of [1, 2, 100]) {
      const up = store.scanIds(byN, lower, upper, "asc", limit);
      const down = store.scanIds(byN, lower, upper, "desc", limit);
      expect(up.map(({ id }) => id)).toEqual(inside.slice(0, limit).map(({ id }) => id));
      const reversed = inside.toReversed().slice(0, limit);
      expect(down.map(({ id }) => id)).toEqual(reversed.map(({ id }) => id));
      expect(store.scan(byN, lower, upper, "desc", limit).map(({ json }) => json)).toEqual(
        reversed.map(({ json }) => json),
      );
    }
  }
  for (const { key, id, json } of sorted) {
    expect([store.hasEntry(byN, key), store.document(id)]).toEqual([true, json]);
  }
}

test("a store reads the same whether writes are in its log or its tables, also after a crash", () => {
  let runs = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
      const path = join(folder, `data-${String((runs += 1))}`);
      const store = new Store(path);
      const jobs = new Map<string, Job>();
      store.createTable(table);
      store.flush(1n);
      let ts = 1n;
      for (const each of steps) {
        if (each.kind === "commit") store.commit((ts += 1n));
        else if (each.kind === "apply") store.apply((ts += 1n));
        else {
          const id = `job-${String(each.at)}`;
          const next = each.kind === "put" ? { _id: id, _creationTime: each.at, n: each.n } : null;
          write(store, jobs, id, next);
        }
        expectSame(store, jobs);
      }
      store.commit((ts += 1n));
      // A killed process leaves the files as they are now.
      for (const end of ["", "-wal"]) copyFileSync(path + end, `${path}-copy${end}`);
      store.close();
      for (const left of [path, `${path}-copy`]) {
        const again = new Store(left);
        expect(again.lastTimestamp()).toBe(ts);
        expectSame(again, jobs);
        again.flush(ts + 1n);
        expectSame(again, jobs);
        again.close();
      }
    }),
    { numRuns: 60 },
  );
});

test("a commit of many documents goes to the tables at once, with those that were logged before", () => {
  const path = join(folder, "data");
  const store = new Store(path);
  const jobs = new Map<string, Job>();
  store.createTable(table);
  store.flush(1n);
  write(store, jobs, "first", { _id: "first", _creationTime: 0, n: 0 });
  store.commit(2n);
  expect(store.hasUnapplied).toBe(true);
  for (let n = 0; n < 2_000; n += 1)
    write(store, jobs, `job-${String(n)}`, { _id: `job-${String(n)}`, _creationTime: n, n });
  store.commit(3n);
  expect(store.hasUnapplied).toBe(false);
  expect([store.count(byN, emptyKey, null), store.lastTimestamp()]).toEqual([2_001, 3n]);
  store.close();
});

test("a document that is written again and again does not let the log grow without limit", () => {
  const store = new Store(join(folder, "data"));
  const jobs = new Map<string, Job>();
  store.createTable(table);
  store.flush(1n);
  const text = "x".repeat(500_000);
  let applied = 0;
  for (let n = 0; n < 40; n += 1) {
    write(store, jobs, "job", { _id: "job", _creationTime: 0, n, text });
    store.commit(BigInt(n + 2));
    if (!store.hasUnapplied) applied += 1;
  }
  // Of at most 4 million characters each.
  expect(applied).toBeGreaterThanOrEqual(4);
  store.close();
});

test("a later timestamp in the tables outlives a log", () => {
  const path = join(folder, "data");
  const store = new Store(path);
  const jobs = new Map<string, Job>();
  store.createTable(table);
  store.flush(1n);
  write(store, jobs, "job", { _id: "job", _creationTime: 0, n: 0 });
  store.commit(5n);
  store.close();
  const db = new DatabaseSync(path);
  db.exec("UPDATE meta SET value = 9 WHERE name = 'last_ts'");
  db.close();
  const again = new Store(path);
  expect([again.lastTimestamp(), again.document("job")]).toEqual([9n, JSON.stringify(jobs.get("job"))]);
  again.close();
});

test("a log with a document of an unknown table is damage", () => {
  const path = join(folder, "data");
  const store = new Store(path);
  store.createTable(table);
  store.flush(1n);
  store.close();
  const db = new DatabaseSync(path);
  db.exec("INSERT INTO log (ts, id, table_number, json) VALUES (2, 'gone', 7, NULL), (3, 'x', 7, '{}')");
  db.close();
  expect(() => new Store(path)).toThrow("a table that does not exist: x");
});

test("a damaged file with a log can be opened to salvage what is readable", () => {
  const path = join(folder, "data");
  const store = new Store(path);
  const jobs = new Map<string, Job>();
  const job = (n: number): Job => ({ _id: `job-${String(n)}`, _creationTime: n, n, text: "x".repeat(900) });
  store.createTable(table);
  for (let n = 0; n < 300; n += 1) write(store, jobs, job(n)._id, job(n));
  store.flush(1n);
  store.freezeMainFile()();
  for (let n = 0; n < 300; n += 1) write(store, jobs, job(n)._id, { ...job(n), n: n + 1_000 });
  store.commit(2n);
  store.close();
  const content = readFileSync(path);
  content.fill(0x5a, 40 * 4_096, 41 * 4_096);
  writeFileSync(path, content);
  expect(() => new Store(path)).toThrow("is damaged");
  const salvaged = new Store(path, { salvage: true });
  expect(salvaged.isPartial).toBe(true);
  expect(salvaged.document("job-299")).toBe(JSON.stringify({ ...job(299), n: 1_299 }));
  salvaged.close();
});

test("on a full disk the log stays as it is, and is applied when there is room", async () => {
  const path = join(folder, "data");
  const store = new Store(path, { maxPages: 60 });
  const jobs = new Map<string, Job>();
  store.createTable(table);
  store.flush(1n);
  let ts = 1n;
  const fill = (): void => {
    for (;;) {
      const id = `job-${String(ts)}`;
      write(store, jobs, id, { _id: id, _creationTime: Number(ts), n: 0, text: "x".repeat(2_000) });
      store.commit(ts + 1n);
      ts += 1n;
    }
  };
  expect(fill).toThrow("full");
  // The commit that failed was not acknowledged.
  jobs.delete(`job-${String(ts)}`);
  store.close();
  const engine = openEngine({ path, maxPages: 60 });
  // By then it has tried to apply the log.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const found = read(engine, (transaction) => collect(transaction, fullRange("jobs", "by_n")));
  expect(found.map(({ _id }) => _id).sort()).toEqual([...jobs.keys()].sort());
  await engine.close().catch(() => undefined);
  const roomy = new Store(path);
  expect(roomy.hasUnapplied).toBe(true);
  roomy.flush(ts + 1n);
  expectSame(roomy, jobs);
  roomy.close();
});

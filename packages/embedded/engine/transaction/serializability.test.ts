import type { Value } from "convex/values";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareTuples } from "../../values/keys/value-order.fixture.ts";
import { all, collect, where } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { DocumentJson, Engine, ScanOrder, Transaction } from "../model/types.ts";

const slots = 6;
const slot = fc.nat(slots - 1);
const number = fc.integer({ min: 0, max: 5 });

const operation = fc.oneof(
  fc.record({ kind: fc.constant("get" as const), slot }),
  fc.record({
    kind: fc.constant("scan" as const),
    index: fc.constantFrom("by_n" as const, "by_creation_time" as const),
    from: number,
    limit: fc.constantFrom(1, 2, 100),
    order: fc.constantFrom<ScanOrder>("asc", "desc"),
  }),
  fc.record({ kind: fc.constant("insert" as const), n: number }),
  fc.record({ kind: fc.constant("replace" as const), slot, n: number }),
  fc.record({ kind: fc.constant("remove" as const), slot }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Picks the open transaction for the next step, the step, and whether a flush comes first. */
const step = fc.record({
  worker: fc.nat(3),
  action: fc.oneof(
    { weight: 5, arbitrary: operation },
    { weight: 2, arbitrary: fc.constant("commit" as const) },
    { weight: 1, arbitrary: fc.constant("discard" as const) },
    { weight: 1, arbitrary: fc.constant("rollback" as const) },
  ),
  turn: fc.boolean(),
  old: fc.boolean(),
});

type Event =
  | { readonly kind: "got"; readonly id: string; readonly document: DocumentJson | null }
  | { readonly kind: "scanned"; readonly operation: Operation; readonly documents: readonly DocumentJson[] }
  | { readonly kind: "wrote"; readonly id: string; readonly document: DocumentJson | null }
  | { readonly kind: "rolled_back" };
type Worker = { readonly transaction: Transaction; readonly events: Event[] };
type Committed = { readonly order: bigint; readonly isReader: boolean; readonly events: readonly Event[] };

test("committed transactions are equivalent to running them in timestamp order", async () => {
  let commits = 0;
  let conflicts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120, size: "max" }), async (steps) => {
      const engine = openEngine({ path: ":memory:" });
      engine.applySchema([{ name: "docs", indexes: [{ name: "by_n", fields: ["n"] }] }]);
      const committed = await interleave(engine, steps);
      const state = replaySerially(committed);
      const last = engine.begin();
      expect(collect(last, all("docs"))).toEqual(sorted([...state.values()], "by_creation_time"));
      commits += engine.stats().commits;
      conflicts += engine.stats().conflicts;
      await engine.close();
    }),
    { numRuns: 150 },
  );
  // The test is meaningful only if transactions do conflict.
  expect(commits).toBeGreaterThan(300);
  expect(conflicts).toBeGreaterThan(50);
});

async function interleave(
  engine: Engine,
  steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
): Promise<Committed[]> {
  const workers = new Map<number, Worker>();
  const known: string[] = [];
  const outcomes = [settle(engine, seed(engine, known))];
  for (const { worker: number, action, turn, old } of steps) {
    if (turn) await new Promise((resolve) => setImmediate(resolve));
    let worker = workers.get(number);
    if (worker === undefined) {
      worker = { transaction: engine.begin(old ? { snapshot: engine.durable() } : {}), events: [] };
      workers.set(number, worker);
    }
    if (action === "commit" || action === "discard") {
      workers.delete(number);
      if (action === "discard") engine.discard(worker.transaction);
      else outcomes.push(settle(engine, worker));
    } else if (action === "rollback") {
      worker.transaction.rollbackTo(0);
      worker.events.push({ kind: "rolled_back" });
    } else {
      perform(engine, worker, action, known);
    }
  }
  for (const { transaction } of workers.values()) engine.discard(transaction);
  return (await Promise.all(outcomes)).filter((each) => each !== null);
}

/** A first transaction, so that the others have shared documents. */
function seed(engine: Engine, known: string[]): Worker {
  const worker: Worker = { transaction: engine.begin(), events: [] };
  for (let n = 0; n < slots; n++) perform(engine, worker, { kind: "insert", n }, known);
  return worker;
}

async function settle(engine: Engine, { transaction, events }: Worker): Promise<Committed | null> {
  const isReader = !transaction.hasWrites();
  const outcome = await engine.commit(transaction);
  return outcome.kind === "committed" ? { order: outcome.ts, isReader, events } : null;
}

function perform(engine: Engine, { transaction, events }: Worker, action: Operation, known: string[]): void {
  switch (action.kind) {
    case "scan": {
      const range =
        action.index === "by_n" ? where(engine, "docs", "by_n", ["Gte", "n", action.from]) : all("docs");
      const documents = collect(transaction, range, action.order, action.limit);
      events.push({ kind: "scanned", operation: action, documents });
      return;
    }
    case "insert": {
      const id = transaction.insert("docs", { n: action.n });
      if (known.length < slots) known.push(id);
      else known[action.n % slots] = id;
      events.push({ kind: "wrote", id, document: transaction.get(id) });
      return;
    }
    default: {
      const id = known[action.slot];
      if (id === undefined) return;
      const document = transaction.get(id);
      events.push({ kind: "got", id, document });
      if (document === null || action.kind === "get") return;
      if (action.kind === "remove") transaction.remove(id);
      else transaction.replace(id, { n: action.n });
      events.push({ kind: "wrote", id, document: transaction.get(id) });
    }
  }
}

/** Replays the recorded transactions one by one on a plain map, and compares each read with the original. */
function replaySerially(committed: readonly Committed[]): Map<string, DocumentJson> {
  // A read-only transaction comes after the commit at its snapshot.
  const inOrder = committed.toSorted((a, b) =>
    a.order === b.order ? Number(a.isReader) - Number(b.isReader) : a.order < b.order ? -1 : 1,
  );
  let state = new Map<string, DocumentJson>();
  for (const { events } of inOrder) {
    const before = new Map(state);
    for (const event of events) {
      if (event.kind === "got") expect(event.document).toEqual(state.get(event.id) ?? null);
      else if (event.kind === "scanned") expect(event.documents).toEqual(scanPlainly(state, event.operation));
      else if (event.kind === "rolled_back") state = new Map(before);
      else if (event.document === null) state.delete(event.id);
      else state.set(event.id, event.document);
    }
  }
  return state;
}

function scanPlainly(state: ReadonlyMap<string, DocumentJson>, operation: Operation): DocumentJson[] {
  if (operation.kind !== "scan") throw new Error("This is no scan.");
  const { index, from, order, limit } = operation;
  const matching = [...state.values()].filter((each) => index !== "by_n" || (each["n"] as number) >= from);
  const ascending = sorted(matching, index);
  return (order === "asc" ? ascending : ascending.toReversed()).slice(0, limit);
}

function sorted(documents: readonly DocumentJson[], index: "by_n" | "by_creation_time"): DocumentJson[] {
  const keyOf = (each: DocumentJson): Value[] => {
    const system = [each["_creationTime"] as Value, each["_id"] as Value];
    return index === "by_n" ? [each["n"] as Value, ...system] : system;
  };
  return documents.toSorted((a, b) => compareTuples(keyOf(a), keyOf(b)));
}

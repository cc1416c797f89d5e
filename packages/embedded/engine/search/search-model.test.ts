import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { all, collect } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { DocumentJson, Engine, Transaction } from "../model/types.ts";
import { termScorer } from "./bm25.ts";
import { notes, search } from "./search.fixture.ts";

const word = fc.constantFrom("a", "ab", "abc", "b", "ba");
const text = fc.option(
  fc.array(word, { maxLength: 6 }).map((words) => words.join(" ")),
  { nil: undefined },
);
const lane = fc.constantFrom("x", "y", undefined);
const fields = fc.record({ text, lane });

const operation = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), fields }),
  fc.record({ kind: fc.constant("replace" as const), slot: fc.nat(9), fields }),
  fc.record({ kind: fc.constant("remove" as const), slot: fc.nat(9) }),
);
const step = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), operations: fc.array(operation, { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant("search" as const),
    words: fc.array(word, { minLength: 1, maxLength: 3 }),
    lane: fc.option(lane),
    /** Commits ago. */
    age: fc.nat(3),
    /** Writes of the searching transaction itself. */
    operations: fc.array(operation, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("restart" as const) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

test("at any snapshot, with own writes and after restarts, a search finds what a search of all documents finds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), "search-"));
      const path = join(folder, "data.sqlite");
      let engine = open(path);
      let snapshots = [engine.durable()];
      try {
        for (const each of steps) {
          if (each.kind === "write") {
            const transaction = engine.begin();
            for (const one of each.operations) apply(transaction, one);
            await engine.commit(transaction);
            snapshots.push(engine.durable());
          } else if (each.kind === "restart") {
            await engine.close();
            engine = open(path);
            snapshots = [engine.durable()];
          } else {
            const snapshot = snapshots[Math.max(0, snapshots.length - 1 - each.age)];
            const transaction = engine.begin(snapshot === undefined ? {} : { snapshot });
            for (const one of each.operations) apply(transaction, one);
            const filters = each.lane === null ? [] : [{ at: 0, value: each.lane }];
            expect(search(transaction, each.words.join(" "), filters)).toEqual(
              naive(transaction, each.words, each.lane),
            );
            engine.discard(transaction);
          }
        }
      } finally {
        await engine.close();
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 60 },
  );
});

function open(path: string): Engine {
  const engine = openEngine({ path });
  engine.applySchema([notes]);
  return engine;
}

function apply(transaction: Transaction, operation: Operation): void {
  if (operation.kind === "insert") {
    transaction.insert("notes", defined(operation.fields));
    return;
  }
  const present = collect(transaction, all("notes"));
  if (present.length === 0) return;
  const id = present[operation.slot % present.length]?.["_id"] as string;
  if (operation.kind === "remove") transaction.remove(id);
  else transaction.replace(id, defined(operation.fields));
}

function defined(fields: { text: string | undefined; lane: string | undefined }): DocumentJson {
  return JSON.parse(JSON.stringify(fields)) as DocumentJson;
}

/** Scores each document by itself. */
function naive(transaction: Transaction, words: readonly string[], lane: string | null | undefined) {
  const documents = collect(transaction, all("notes"));
  const termsOf = (document: DocumentJson): string[] =>
    ((document["text"] as string | undefined) ?? "").split(" ").filter((term) => term !== "");
  const statistics = {
    documents: documents.length,
    terms: documents.reduce((sum, document) => sum + termsOf(document).length, 0),
  };
  const exact = new Set(words);
  const known = new Set(documents.flatMap(termsOf));
  const longer = [...known]
    .filter((term) => term.startsWith(words.at(-1) as string) && !exact.has(term))
    .sort();
  const scores = documents
    .filter((document) => lane === null || document["lane"] === lane)
    .flatMap((document) => {
      const terms = termsOf(document);
      const matched = [...exact, ...longer].filter((term) => terms.includes(term));
      const score = matched.reduce((sum, term) => {
        const frequency = documents.filter((other) => termsOf(other).includes(term)).length;
        const count = terms.filter((other) => other === term).length;
        const scoreOf = termScorer(statistics, frequency);
        return sum + (exact.has(term) ? 1 : 0.5) * scoreOf(count, terms.length);
      }, 0);
      return matched.length === 0 ? [] : [{ document, score: Math.fround(score) }];
    });
  const newestFirst = (a: DocumentJson, b: DocumentJson): number =>
    (b["_creationTime"] as number) - (a["_creationTime"] as number);
  return scores
    .sort((a, b) => b.score - a.score || newestFirst(a.document, b.document))
    .map(({ document, score }) => ({ id: document["_id"], key: expect.any(String) as string, score }));
}

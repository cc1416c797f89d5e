import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { insertOne } from "../../engine/engine.fixture.ts";
import { openEngine } from "../../engine/engine.ts";
import { silent } from "../../operations/log.ts";
import type { FunctionCall, Outcome } from "../../runtime/contract/function-runner.ts";
import { carryOver } from "./carry-over.ts";
import { carryOverFile, keptStatePath } from "./restore-swap.ts";

const count = 120;
let folder: string;
let dataFile: string;
let replaced: string;
let applied: { table: string | null; documents: { name: string }[]; isKnown: boolean }[];
let warnings: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "carry-over-"));
  dataFile = join(folder, "data.sqlite");
  replaced = join(keptStatePath(dataFile), "database.sqlite");
  mkdirSync(dirname(replaced));
  writeFileSync(carryOverFile(dataFile), "id");
  const engine = openEngine({ path: replaced });
  // The documents fill many pages.
  for (let n = 0; n < count; n++) {
    await insertOne(engine, "keys", { name: `key ${String(n)} `.padEnd(3_500, "x") });
  }
  await insertOne(engine, "codes", { name: "code" });
  await engine.close();
  // Without this, free space may hold older copies of a document.
  const db = new DatabaseSync(replaced);
  db.exec("VACUUM");
  db.close();
  applied = [];
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Carries over with an app that takes everything, or whose mutation fails. */
async function carry(outcome: Outcome = { kind: "success", value: null }): Promise<void> {
  const log = { ...silent, warn: (event: string) => warnings.push(event) };
  const spec = { visibility: "internal", args: null, returns: null } as const;
  const runner = {
    functionSpecs: () => [
      { ...spec, identifier: "afterRestore.js:tables", functionType: "Query" } as const,
      { ...spec, identifier: "afterRestore.js:apply", functionType: "Mutation" } as const,
    ],
    runQuery: () => Promise.resolve({ ...run, outcome: tables, readSet: [], journal: null }),
    runMutation: ({ args }: FunctionCall) => {
      applied.push(args as never);
      return Promise.resolve({ ...run, outcome });
    },
  };
  await carryOver({ dataFile, runner: runner as never, log });
}
const run = { logLines: [], ts: 0n };
const tables: Outcome = { kind: "success", value: ["keys", "codes"] };

/** Overwrites the page with this text. SQLite finds out only when it reads that page. */
function damagePageWith(text: string): void {
  const bytes = readFileSync(replaced);
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(4_096);
  const start = at - (at % 4_096);
  writeFileSync(replaced, bytes.fill(0xab, start, start + 4_096));
}

const namesFor = (table: string): string[] =>
  applied.flatMap((call) => (call.table === table ? call.documents.map(({ name }) => name) : []));

test("the app gets every document of the replaced state", async () => {
  await carry();
  expect(namesFor("keys")).toHaveLength(count);
  expect(namesFor("codes")).toEqual(["code"]);
  expect(applied.at(-1)).toEqual({ table: null, documents: [], isKnown: true });
  expect(warnings).toEqual([]);
});

test("the app gets what can be read of a damaged state, and learns that the rest is unknown", async () => {
  await carry();
  const healthy = namesFor("keys");
  damagePageWith(healthy.at(-1) ?? "none");
  applied = [];
  writeFileSync(carryOverFile(dataFile), "id");
  await carry();
  expect(namesFor("keys")).toEqual(healthy.slice(0, 100));
  expect(namesFor("codes")).toEqual(["code"]);
  expect(applied.at(-1)).toEqual({ table: null, documents: [], isKnown: false });
  expect(warnings).toEqual(["restore.previous-unreadable", "restore.revocations-unknown"]);
  expect(existsSync(carryOverFile(dataFile))).toBe(false);
});

test("an error of the app is not taken for damage, and the next start tries again", async () => {
  await expect(carry({ kind: "failure", message: "no" })).rejects.toThrow("afterRestore:apply failed");
  expect(applied).toHaveLength(1);
  expect(existsSync(carryOverFile(dataFile))).toBe(true);
});

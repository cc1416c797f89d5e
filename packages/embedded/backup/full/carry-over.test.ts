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
import {
  carryOverFile,
  completeRestore,
  keptStatePath,
  makePending,
  readOutcome,
  revokeAllMark,
} from "./restore-swap.ts";

const count = 120;
/** Fills a page, so that no document shares one. */
const filling = (name: string): string => name.padEnd(3_500, "x");
const code = filling("code");
let folder: string;
let dataFile: string;
let replaced: string;
let applied: {
  table: string | null;
  documents: { name: string }[];
  isKnown: boolean;
  isRevoked?: boolean;
}[];
let warnings: string[];
let revoked: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "carry-over-"));
  dataFile = join(folder, "data.sqlite");
  replaced = join(keptStatePath(dataFile), "database.sqlite");
  mkdirSync(dirname(replaced));
  writeFileSync(carryOverFile(dataFile), "id");
  const engine = openEngine({ path: replaced });
  // The documents fill many pages.
  for (let n = 0; n < count; n++) {
    await insertOne(engine, "keys", { name: filling(`key ${String(n)} `) });
  }
  await insertOne(engine, "codes", { name: code });
  await engine.close();
  // Without this, free space may hold older copies of a document.
  const db = new DatabaseSync(replaced);
  db.exec("VACUUM");
  db.close();
  applied = [];
  warnings = [];
  revoked = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Carries over with an app that takes everything, or whose mutation fails. */
async function carry(
  outcome: Outcome = { kind: "success", value: null },
  { canRevoke = true }: { readonly canRevoke?: boolean } = {},
): Promise<void> {
  const log = { ...silent, warn: (event: string) => warnings.push(event) };
  const spec = { visibility: "internal", args: null, returns: null } as const;
  const runner = {
    functionSpecs: () => [
      { ...spec, identifier: "afterRestore.js:tables", functionType: "Query" } as const,
      { ...spec, identifier: "afterRestore.js:apply", functionType: "Mutation" } as const,
      ...(canRevoke
        ? [{ ...spec, identifier: "afterRestore.js:revokeAll", functionType: "Mutation" } as const]
        : []),
    ],
    runQuery: () => Promise.resolve({ ...run, outcome: tables, readSet: [], journal: null }),
    runMutation: ({ path, args }: FunctionCall) => {
      if (path === "afterRestore:revokeAll") {
        revoked.push((args as { next: string }).next);
        const value = { counts: { keys: 50, codes: 1 }, next: revoked.length < 3 ? "more" : null };
        return Promise.resolve({ ...run, outcome: { kind: "success" as const, value } });
      }
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
  expect(namesFor("codes")).toEqual([code]);
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
  expect(namesFor("codes")).toEqual([code]);
  expect(applied.at(-1)).toEqual({ table: null, documents: [], isKnown: false });
  expect(warnings).toEqual(["restore.previous-unreadable", "restore.revocations-unknown"]);
  expect(existsSync(carryOverFile(dataFile))).toBe(false);
});

test("an error of the app is not taken for damage, and the next start tries again", async () => {
  await expect(carry({ kind: "failure", message: "no" })).rejects.toThrow("afterRestore:apply failed");
  expect(applied).toHaveLength(1);
  expect(existsSync(carryOverFile(dataFile))).toBe(true);
});

test("if the operator asked for it, the app revokes all secrets page by page, and the outcome has the counts", async () => {
  const unpacked = join(folder, "unpacked");
  mkdirSync(unpacked);
  writeFileSync(join(unpacked, "database.sqlite"), readFileSync(replaced));
  makePending(dataFile, unpacked, "id", { revokeAll: true });
  completeRestore(dataFile);
  await carry();
  expect(revoked).toEqual(["", "more", "more"]);
  expect(applied.at(-1)).toMatchObject({ table: null, isRevoked: true });
  expect(readOutcome(dataFile)).toMatchObject({ revoked: { keys: 150, codes: 3 } });
});

test("a restore that is to revoke all fails if the app cannot do that", async () => {
  writeFileSync(carryOverFile(dataFile), revokeAllMark);
  await expect(carry(undefined, { canRevoke: false })).rejects.toThrow("cannot revoke");
  expect(applied).toEqual([]);
});

test("the app's refusal is quoted as a sentence", async () => {
  const data = { code: "invalid", message: "GLEANER_SIGNING_KEY must be 32 random bytes." };
  const message = `Uncaught ConvexError: ${JSON.stringify(data)}\n    at handler (../convex/afterRestore.ts:1:1)`;
  await expect(carry({ kind: "failure", message, data })).rejects.toThrow(
    "afterRestore:apply failed after the restore: GLEANER_SIGNING_KEY must be 32 random bytes.",
  );
});

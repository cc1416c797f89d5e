import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { JSONValue } from "convex/values";
import * as z from "zod";
import type { DocumentJson } from "../../engine/model/types.ts";
import { Store } from "../../engine/store/store.ts";
import { describeError, type Log } from "../../operations/log.ts";
import type { FunctionRunner } from "../../runtime/contract/function-runner.ts";
import type { FunctionFailure } from "../../runtime/execution/function-failure.ts";
import { emptyKey, type Key, successor } from "../../values/keys/key.ts";
import { database } from "./backup-manifest.ts";
import {
  carryOverFile,
  recordCarried,
  replacedStateOf,
  revokeAllMark,
  type RevokedCounts,
} from "./restore-swap.ts";

/** The app's functions, if it has them. A document is in Convex's JSON encoding. */
const tablesFunction = "afterRestore:tables";
const applyFunction = "afterRestore:apply";
const revokeFunction = "afterRestore:revokeAll";
const page = 50;

type CarryOverOptions = {
  readonly dataFile: string;
  readonly runner: Pick<FunctionRunner, "runQuery" | "runMutation" | "functionSpecs">;
  readonly log: Log;
};

/**
 * Lets the app keep a part of the replaced data after a restore, such as what was revoked since the backup. Call it
 * before the restored deployment answers anybody. If this process ends meanwhile, the next start does it again.
 *
 * The app's internal query `afterRestore:tables` names tables. Its internal mutation `afterRestore:apply` gets their
 * documents of the replaced state: `{ table, documents, isKnown: true }`, once or several times for each table, and at the
 * end `{ table: null, documents: [], isKnown }`. `isKnown` is false if there was no earlier state, or a damaged one. It
 * still gets the documents of a damaged one that can be read.
 * Without these functions nothing is carried over. Throws if one of them fails.
 *
 * If the operator asked to revoke all secrets, the app's internal mutation `afterRestore:revokeAll` gets `{ next: "" }`, and
 * then the `next` that it returned, until that is null. Its `counts` are added up. The last call of `apply` then also has
 * `isRevoked: true`.
 */
export async function carryOver({ dataFile, runner, log }: CarryOverOptions): Promise<void> {
  const marker = carryOverFile(dataFile);
  if (!existsSync(marker)) return;
  const mustRevoke = readFileSync(marker, "utf8") === revokeAllMark;
  const names = runner.functionSpecs().map(({ identifier }) => identifier.replace(/\.js:/, ":"));
  const carries = names.includes(tablesFunction) && names.includes(applyFunction);
  if (mustRevoke && !(carries && names.includes(revokeFunction))) {
    throw new Error(`The app cannot revoke the secrets of a backup: it has no function ${revokeFunction}.`);
  }
  if (carries) {
    const tables = namesOf(await run(runner, "runQuery", tablesFunction, {}));
    const isKnown = await applyAll(dataFile, tables, runner, log);
    const revoked = mustRevoke ? await revokeAll(runner) : null;
    const end = { table: null, documents: [], isKnown };
    await run(runner, "runMutation", applyFunction, mustRevoke ? { ...end, isRevoked: true } : end);
    recordCarried(dataFile, isKnown ? "all" : "unknown", revoked);
    if (!isKnown && !mustRevoke) log.warn("restore.revocations-unknown");
  }
  rmSync(marker, { force: true });
}

/**
 * Applies the documents of the replaced state, without those that damage makes unreadable. False if there was damage, or
 * no such state.
 */
async function applyAll(
  dataFile: string,
  tables: readonly string[],
  runner: CarryOverOptions["runner"],
  log: Log,
): Promise<boolean> {
  const folder = replacedStateOf(dataFile);
  if (folder === null) return false;
  const store = tryToRead(() => new Store(join(folder, database), { salvage: true }), log);
  if (store === null) return false;
  try {
    let isKnown = !store.isPartial;
    for (const table of tables) {
      let from: Key | null = emptyKey;
      while (from !== null) {
        const lower: Key = from;
        const batch = tryToRead(() => batchFrom(store, table, lower), log);
        if (batch === null) isKnown = false;
        else if (batch.documents.length > 0) {
          await run(runner, "runMutation", applyFunction, {
            table,
            documents: batch.documents,
            isKnown: true,
          });
        }
        from = batch?.next ?? null;
        await setImmediate();
      }
    }
    return isKnown;
  } finally {
    store.close();
  }
}

const revokedPage = z.object({ counts: z.record(z.string(), z.number()), next: z.string().nullable() });

async function revokeAll(runner: CarryOverOptions["runner"]): Promise<RevokedCounts> {
  const sums: Record<string, number> = {};
  let next: string | null = "";
  while (next !== null) {
    const page: z.output<typeof revokedPage> = revokedPage.parse(
      await run(runner, "runMutation", revokeFunction, { next }),
    );
    for (const [kind, count] of Object.entries(page.counts)) sums[kind] = (sums[kind] ?? 0) + count;
    ({ next } = page);
    await setImmediate();
  }
  return sums;
}

/** Null if it cannot be read: SQLite finds damage only when it reads that page. */
function tryToRead<T>(body: () => T, log: Log): T | null {
  try {
    return body();
  } catch (error) {
    log.warn("restore.previous-unreadable", { message: describeError(error) });
    return null;
  }
}

/** The next documents of a table in the order of their ids. `next` is null after the last ones. */
function batchFrom(
  store: Store,
  table: string,
  lower: Key,
): { readonly documents: DocumentJson[]; readonly next: Key | null } {
  const byId = store
    .tables()
    .find(({ name }) => name === table)
    ?.indexes.find(({ name }) => name === "by_id");
  const rows = byId === undefined ? [] : store.scan(byId, lower, null, "asc", page);
  const last = rows.at(-1);
  return {
    documents: rows.map(({ json }) => JSON.parse(json) as DocumentJson),
    next: last === undefined ? null : successor(last.key),
  };
}

async function run(
  runner: CarryOverOptions["runner"],
  kind: "runQuery" | "runMutation",
  path: string,
  args: JSONValue,
): Promise<JSONValue> {
  const { outcome } = await runner[kind]({
    path,
    args,
    identity: { kind: "admin" },
    requestId: randomUUID(),
  });
  if (outcome.kind === "failure") throw new Error(`${path} failed after the restore: ${reasonOf(outcome)}`);
  return outcome.value;
}

const refusal = z.object({ message: z.string() });

/** The sentence of a refusal, or else the whole message. */
function reasonOf({ message, data }: FunctionFailure): string {
  return refusal.safeParse(data).data?.message ?? message;
}

function namesOf(value: JSONValue): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw new Error(`${tablesFunction} has to return the names of tables.`);
}

import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { JSONValue } from "convex/values";
import type { DocumentJson } from "../../engine/model/types.ts";
import { Store } from "../../engine/store/store.ts";
import { describeError, type Log } from "../../operations/log.ts";
import type { FunctionRunner } from "../../runtime/contract/function-runner.ts";
import { successor } from "../../values/keys/bytes.ts";
import { database } from "./backup-manifest.ts";
import { carryOverFile, recordCarried, replacedStateOf } from "./restore-swap.ts";

/** The app's functions, if it has them. A document is in Convex's JSON encoding. */
const tablesFunction = "afterRestore:tables";
const applyFunction = "afterRestore:apply";
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
 * end `{ table: null, documents: [], isKnown }`. `isKnown` is false if there was no earlier state, or a damaged one.
 * Without these functions nothing is carried over. Throws if one of them fails.
 */
export async function carryOver({ dataFile, runner, log }: CarryOverOptions): Promise<void> {
  const marker = carryOverFile(dataFile);
  if (!existsSync(marker)) return;
  const names = runner.functionSpecs().map(({ identifier }) => identifier.replace(/\.js:/, ":"));
  if (names.includes(tablesFunction) && names.includes(applyFunction)) {
    const tables = namesOf(await run(runner, "runQuery", tablesFunction, {}));
    const isKnown = await applyAll(dataFile, tables, runner, log);
    await run(runner, "runMutation", applyFunction, { table: null, documents: [], isKnown });
    recordCarried(dataFile, isKnown ? "all" : "unknown");
    if (!isKnown) log.warn("restore.revocations-unknown");
  }
  rmSync(marker, { force: true });
}

/** Applies the documents of the replaced state. False if it cannot be read. */
async function applyAll(
  dataFile: string,
  tables: readonly string[],
  runner: CarryOverOptions["runner"],
  log: Log,
): Promise<boolean> {
  const folder = replacedStateOf(dataFile);
  if (folder === null) return false;
  let store: Store;
  try {
    store = new Store(join(folder, database));
  } catch (error) {
    log.warn("restore.previous-unreadable", { message: describeError(error) });
    return false;
  }
  try {
    for (const table of tables) {
      for await (const documents of documentsOf(store, table)) {
        await run(runner, "runMutation", applyFunction, { table, documents, isKnown: true });
      }
    }
    return true;
  } finally {
    store.close();
  }
}

async function* documentsOf(store: Store, table: string): AsyncGenerator<DocumentJson[]> {
  const byId = store
    .tables()
    .find(({ name }) => name === table)
    ?.indexes.find(({ name }) => name === "by_id");
  let lower: Uint8Array | null = new Uint8Array(0);
  while (byId !== undefined && lower !== null) {
    const rows = store.scan(byId, lower, null, "asc", page);
    if (rows.length > 0) yield rows.map(({ json }) => JSON.parse(json) as DocumentJson);
    const last = rows.at(-1);
    lower = last === undefined ? null : successor(last.key);
    await setImmediate();
  }
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
  if (outcome.kind === "failure") throw new Error(`${path} failed after the restore: ${outcome.message}`);
  return outcome.value;
}

function namesOf(value: JSONValue): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw new Error(`${tablesFunction} has to return the names of tables.`);
}

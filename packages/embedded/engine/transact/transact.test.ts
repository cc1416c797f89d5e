import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { fullRange } from "../../values/keys/index-range.ts";
import { openEngine } from "../engine.ts";
import type { Transaction } from "../model/types.ts";
import { commitWithRetries } from "./transact.ts";
import { Turns } from "./turns.ts";

const all = fullRange("rows", "by_creation_time");

/** Counts the conflicts of transactions that start at once, and that all read and write the same table. */
async function conflictsOf(transactions: number, turns?: Turns): Promise<number> {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  engine.applySchema([{ name: "rows", indexes: [] }]);
  let conflicts = 0;
  const addRow = async (transaction: Transaction) => {
    const n = transaction.count(all);
    await sleep(1);
    transaction.insert("rows", { n });
    return { commit: true, result: n };
  };
  const onConflict = (): void => {
    conflicts += 1;
  };
  const options = turns === undefined ? { onConflict } : { onConflict, turns };
  const rows = await Promise.all(
    Array.from({ length: transactions }, () => commitWithRetries(engine, addRow, options)),
  );
  const numbers = rows.flatMap((row) => (row.kind === "finished" ? [row.result] : []));
  expect(numbers.toSorted((a, b) => a - b)).toEqual([...numbers.keys()]);
  return conflicts;
}

test("a transaction takes its snapshot in its turn, so it does not conflict with those before it", async () => {
  expect(await conflictsOf(3)).toBeGreaterThan(0);
  expect(await conflictsOf(20, new Turns(1))).toBe(0);
});

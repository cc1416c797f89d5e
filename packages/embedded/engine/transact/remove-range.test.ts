import { expect, onTestFinished, test } from "vitest";
import { fullRange } from "../../values/keys/index-range.ts";
import { openEngine } from "../engine.ts";
import type { Engine } from "../model/types.ts";
import { removeRange } from "./remove-range.ts";
import { transact } from "./transact.ts";

const rows = 1_200;
const all = fullRange("rows", "by_creation_time");

async function withRows(): Promise<Engine> {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  engine.applySchema([{ name: "rows", indexes: [] }]);
  await transact(engine, (transaction) => {
    for (let n = 0; n < rows; n += 1) transaction.insert("rows", { n });
  });
  return engine;
}

test("every row of a range too long for one transaction is removed", async () => {
  const engine = await withRows();
  expect(await removeRange(engine, all)).toBe(rows);
  expect(await removeRange(engine, all)).toBe(0);
});

test("a removal stops between two transactions when aborted, and continues there the next time", async () => {
  const engine = await withRows();
  const stopping = new AbortController();
  const removing = removeRange(engine, all, stopping.signal);
  stopping.abort();
  const removed = await removing;
  expect(removed).toBeGreaterThan(0);
  expect(removed).toBeLessThan(rows);
  expect(await removeRange(engine, all, stopping.signal)).toBe(0);
  expect(await removeRange(engine, all)).toBe(rows - removed);
});

/** Commits pairs of documents in order and prints each number once acknowledged. Usage: `PATH BYTES`. */
import { writeSync } from "node:fs";
import { openEngine } from "../engine.ts";

const [path = "", bytes = "100"] = process.argv.slice(2);
const engine = openEngine({ path });
const padding = "x".repeat(Number(bytes));

for (let n = 0; ; n++) {
  const transaction = engine.begin();
  transaction.insert("pairs", { n, side: "left", padding });
  transaction.insert("pairs", { n, side: "right", padding });
  await engine.commit(transaction);
  writeSync(1, `${String(n)}\n`);
}

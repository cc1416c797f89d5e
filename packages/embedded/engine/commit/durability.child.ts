/**
 * Commits in a loop and prints each acknowledged id. Usage: `durability.child.ts PATH WORKERS`. Exits with 3 and
 * the error's name once a commit is rejected.
 */
import { writeSync } from "node:fs";
import { openEngine } from "../engine.ts";

const [path = "", workers = "1"] = process.argv.slice(2);
const engine = openEngine({ path });
const padding = "x".repeat(500);

async function work(): Promise<never> {
  for (let n = 0; ; n++) {
    const transaction = engine.begin();
    const id = transaction.insert("acknowledged", { n, padding });
    await engine.commit(transaction);
    // Written synchronously, so every printed id was acknowledged, whenever the process dies.
    writeSync(1, `${id}\n`);
  }
}

try {
  await Promise.all(Array.from({ length: Number(workers) }, work));
} catch (error) {
  writeSync(2, `${String(error)}\n`);
  try {
    engine.begin();
  } catch (again) {
    writeSync(2, `${String(again)}\n`);
    process.exit(3);
  }
}

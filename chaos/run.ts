import { parseArgs } from "node:util";
import { startFarm } from "../launch/farm/farm.ts";
import { Watcher } from "../launch/farm/watcher.ts";
import { faultKinds, inject } from "./faults.ts";
import { Load } from "./load.ts";
import { makeRandom } from "./random.ts";
import { verdict } from "./verdict.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    requests: { type: "string", default: "16" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});

const say = (line: string): void => {
  if (!values.json) console.log(line);
};

/**
 * Keeps a farm under load while its parts are killed, one fault per round, chosen by the seed. Then checks that every
 * request was answered, that no job succeeded twice, and that the ledger adds up.
 */
async function main(): Promise<number> {
  const random = makeRandom(Number(values.seed));
  const farm = await startFarm();
  try {
    const donors = [await farm.startDonor("donor-1"), await farm.startDonor("donor-2")];
    const watcher = await Watcher.signIn(farm.backend.url, farm.organization.signInToken);
    const load = new Load(farm);
    for (let round = 0; round < Number(values.rounds); round++) {
      const kind = faultKinds[(random.below(faultKinds.length) + round) % faultKinds.length] ?? "kill-donor";
      say(`round ${round + 1}: ${values.requests} requests, ${kind}`);
      let struck = false;
      const fault = inject(kind, { farm, donors, watcher, random, onStruck: () => (struck = true) });
      // It is awaited below. Until then its failure must not end the process.
      fault.catch(() => (struck = true));
      // Sends work until the fault has happened, because the watcher may still reconnect after an earlier crash.
      do await load.send(Number(values.requests));
      while (!struck);
      await fault;
    }
    const result = await verdict(farm, watcher, load);
    await watcher.close();
    console.log(values.json ? JSON.stringify(result) : table(result));
    result.faults.forEach((fault) => console.error(`chaos: ${fault}`));
    return result.faults.length === 0 ? 0 : 1;
  } finally {
    await farm.close();
  }
}

function table(result: Awaited<ReturnType<typeof verdict>>): string {
  return Object.entries(result)
    .filter(([name]) => name !== "faults")
    .map(([name, value]) => `  ${name.padEnd(14)} ${String(value)}`)
    .join("\n");
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

import { parseArgs } from "node:util";
import { abuseBench } from "./abuse/bench.ts";
import type { Bench } from "./bench.ts";
import { consoleBench } from "./console/bench.ts";
import { contentionBench } from "./contention/bench.ts";
import { costBench } from "./cost/bench.ts";
import { desktopBench } from "./desktop/bench.ts";
import { dispatchBench } from "./dispatch/bench.ts";
import { engineBench } from "./engine/bench.ts";
import { footprintBench } from "./footprint/bench.ts";
import { inferenceBench } from "./inference/bench.ts";
import { interferenceBench } from "./interference/bench.ts";
import { ledgerBench } from "./ledger/bench.ts";
import { placementBench } from "./placement/bench.ts";
import { requestsBench } from "./requests/bench.ts";
import { trustBench } from "./trust/bench.ts";
import { processorsBench } from "./trust/processors.ts";
import { yieldBench } from "./yield/bench.ts";

const benches: { readonly [name: string]: Bench } = {
  engine: engineBench,
  dispatch: dispatchBench,
  contention: contentionBench,
  cost: costBench,
  ledger: ledgerBench,
  placement: placementBench,
  footprint: footprintBench,
  desktop: desktopBench,
  inference: inferenceBench,
  interference: interferenceBench,
  trust: trustBench,
  processors: processorsBench,
  yield: yieldBench,
  api: requestsBench,
  abuse: abuseBench,
  console: consoleBench,
};

const exitUsage = 2;
const usage = `npm run -s bench -- NAME [options]
${Object.entries(benches)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  .join("\n")}

  --json       print only one JSON object
  --rounds N   the number of rounds (5); fewer on a slow machine
  --help       print this text`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      rounds: { type: "string", default: "5" },
      help: { type: "boolean", default: false },
    },
  });
  const [name, ...others] = positionals;
  if (values.help || name === undefined) {
    console.log(usage);
    return 0;
  }
  const bench = benches[name];
  const rounds = Number(values.rounds);
  if (bench === undefined || others.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
    console.error(usage);
    return exitUsage;
  }
  const { json, text } = await bench.run(rounds, (line) => {
    if (!values.json) console.error(`… ${line}`);
  });
  console.log(values.json ? JSON.stringify(json) : text);
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof TypeError && "code" in error ? `${error.message}\n\n${usage}` : error);
    process.exit(1);
  },
);

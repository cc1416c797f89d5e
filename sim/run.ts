import { drawCurves } from "./curves/draw.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import { policies } from "./policies/all.ts";
import { variants } from "./policies/variants.ts";
import { promiseCases, promiseTable } from "./promises/cases.ts";
import { runAll } from "./report/run-all.ts";
import { table } from "./report/table.ts";
import { winnerOf } from "./report/winner.ts";
import { compareSpeeds, speedTable } from "./speeds/compare.ts";
import { fleetTable, simulateFleets } from "./trust/fleets.ts";

const exitUsage = 2;

async function main(): Promise<number> {
  const parsed = parseOptions(process.argv.slice(2));
  if (parsed.kind === "help") console.log(usage);
  else if (parsed.kind === "wrong") console.error(`${parsed.message}\n\n${usage}`);
  else if (parsed.options.trust) trust(parsed.options);
  else if (parsed.options.speeds) speeds(parsed.options);
  else if (parsed.options.promises) promises(parsed.options);
  else if (parsed.options.svg !== null)
    await drawCurves(parsed.options, parsed.options.svg, say(parsed.options));
  else await oneFleet(parsed.options);
  return parsed.kind === "wrong" ? exitUsage : 0;
}

function speeds({ devices, jobs, seed, json }: Options): void {
  const compared = compareSpeeds({ devices, jobs, seed });
  console.log(json ? JSON.stringify({ devices, cases: compared }) : speedTable(compared));
}

function promises({ devices: laptops, seed, json }: Options): void {
  const cases = promiseCases({ laptops, seed });
  console.log(json ? JSON.stringify({ laptops, cases }) : promiseTable(cases));
}

function trust({ devices, jobs, seed, json }: Options): void {
  const fleets = simulateFleets({ devices, jobs, seed });
  console.log(json ? JSON.stringify({ fleets }) : fleetTable(fleets));
}

async function oneFleet(options: Options): Promise<void> {
  const { devices, scenarios, json, compare } = options;
  const names = (compare === null ? policies : (variants[compare] ?? [])).map(({ name }) => name);
  const figures = await runAll(names, scenarios, options, say(options));
  const winner = winnerOf(figures);
  console.log(
    json
      ? JSON.stringify({ devices, policies: figures, winner })
      : `${table(figures, winner)}\n\nwinner: ${winner}`,
  );
}

const say = (options: Options) => (line: string) => {
  if (!options.json) console.error(`… ${line}`);
};

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

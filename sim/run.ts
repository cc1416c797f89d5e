import { readFile } from "node:fs/promises";
import { drawCurves } from "./curves/draw.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import { policies } from "./policies/all.ts";
import { variants } from "./policies/variants.ts";
import { promiseCases, promiseRows, promiseTable } from "./promises/cases.ts";
import { parseRecorded, recordedCases } from "./promises/recorded.ts";
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
  else if (parsed.options.promises) return await promises(parsed.options);
  else if (parsed.options.svg !== null)
    await drawCurves(parsed.options, parsed.options.svg, say(parsed.options));
  else await oneFleet(parsed.options);
  return parsed.kind === "wrong" ? exitUsage : 0;
}

function speeds({ devices, jobs, seed, json }: Options): void {
  const compared = compareSpeeds({ devices, jobs, seed });
  console.log(json ? JSON.stringify({ devices, cases: compared }) : speedTable(compared));
}

async function promises({ devices: laptops, seed, seeds, json, recorded }: Options): Promise<number> {
  if (recorded !== null) return await recordedPromises(recorded, { seed, seeds, json });
  const cases = promiseCases({ laptops, seed, seeds });
  const rows = promiseRows(cases);
  console.log(json ? JSON.stringify({ laptops, rows, cases }) : promiseTable(rows));
  return 0;
}

async function recordedPromises(
  file: string,
  { json, ...options }: Pick<Options, "seed" | "seeds" | "json">,
): Promise<number> {
  try {
    const organizations = [...parseRecorded(await readFile(file, "utf8"))].map(([organization, days]) => {
      const cases = recordedCases(days, options);
      return { organization, days: days.length, rows: promiseRows(cases), cases };
    });
    const texts = organizations.map(({ organization, days, rows }) =>
      rows.length === 0
        ? `${organization}: ${String(days)} recorded days are too few for a replay`
        : `${organization}, ${String(days)} recorded days\n${promiseTable(rows)}`,
    );
    console.log(json ? JSON.stringify({ organizations }) : texts.join("\n\n"));
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(`${file}: ${error.message}`);
    return exitUsage;
  }
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

import { parseArgs } from "node:util";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { fuzz } from "./fuzz.ts";
import type { Target } from "./target.ts";
import { controlSocket } from "./targets/control-socket.ts";
import { httpRoutes } from "./targets/http-routes.ts";
import { officeDiscovery } from "./targets/office-discovery.ts";
import { panelCalls } from "./targets/panel-calls.ts";
import { publicFunctions } from "./targets/public-functions.ts";
import { requestBodies } from "./targets/request-bodies.ts";
import { runnerMessages } from "./targets/runner-messages.ts";
import { syncProtocol } from "./targets/sync-protocol.ts";

const targets: readonly Target[] = [
  requestBodies,
  runnerMessages,
  panelCalls,
  controlSocket,
  officeDiscovery,
  httpRoutes,
  syncProtocol,
  publicFunctions,
];

const usage = `npm run fuzz -- [options] [TARGET …]
${targets.map(({ name, summary }) => `  ${name.padEnd(18)} ${summary}`).join("\n")}

  --seconds N  seconds for all targets together (60)
  --inputs N   ends each target after so many inputs, within its time
  --seed N     repeats a run's random inputs
  --no-keep    do not keep a failing input in test/fuzz/seeds
  --help       print this text`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      seconds: { type: "string", default: "60" },
      inputs: { type: "string", default: String(Number.MAX_SAFE_INTEGER) },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      keep: { type: "boolean", default: true },
      help: { type: "boolean", default: false },
    },
  });
  const seconds = Number(values.seconds);
  const inputs = Number(values.inputs);
  const seed = Number(values.seed);
  const isKnown = positionals.every((name) => targets.some((target) => target.name === name));
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (!isKnown || !(seconds > 0) || !(inputs > 0) || !Number.isInteger(inputs) || !Number.isInteger(seed)) {
    console.error(usage);
    return 2;
  }
  const chosen = targets.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  console.log(`seed ${seed}; repeat with: npm run fuzz -- --seed ${seed} --seconds ${seconds}`);
  const opened: Promise<Farm>[] = [];
  const farm = (): Promise<Farm> => {
    const first = opened[0] ?? startFarm();
    opened[0] = first;
    return first;
  };
  try {
    let failures = 0;
    for (const target of chosen) {
      const open = await target.open(farm);
      const options = { seconds: seconds / chosen.length, inputs, seed, keep: values.keep };
      try {
        const result = await fuzz(target.name, open, options);
        report(target.name, result);
        if (result.failure !== null) failures += 1;
      } finally {
        await open.close();
      }
    }
    console.log(`${chosen.length - failures} passed, ${failures} failed`);
    return failures === 0 ? 0 : 1;
  } finally {
    for (const each of opened) await (await each).close();
  }
}

function report(name: string, { inputs, failure }: Awaited<ReturnType<typeof fuzz>>): void {
  console.log(`  ${name.padEnd(18)} ${inputs} inputs${failure === null ? "" : ", FAILED"}`);
  if (failure === null) return;
  const input = JSON.stringify(failure.input);
  console.error(failure.error);
  console.error(`input: ${input.length > 4_000 ? `${input.slice(0, 4_000)}…` : input}`);
  if (failure.keptIn !== null) console.error(`kept in ${failure.keptIn}: commit it together with the fix`);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

import { parseArgs } from "node:util";
import { reliability } from "../app/devices/reliability.ts";
import { startFarm } from "../launch/farm/farm.ts";
import { ledgerFaults } from "../launch/farm/ledger-faults.ts";
import { type DeviceRow, Watcher } from "../launch/farm/watcher.ts";
import { Load } from "./load.ts";
import { lies } from "./malicious/lies.ts";
import { MaliciousDevice } from "./malicious/malicious-device.ts";

/**
 * A device that lies about every job is paused within so many. The rule pauses it after 16. It gets a few more while its
 * judgment is on the way, and a failure counts only once another device can do the job.
 */
const mostJobs = 2 * reliability.hopeless;
/** One kind for each way in which a device is found out: an error, an answer, a stream, a signature, and jobs that it does not do. */
const fewKinds = [
  "invents final errors",
  "is unfit for everything",
  "counts a billion tokens",
  "is cut by the limit before any byte",
  "streams other text than it answers",
  "signs another attempt",
  "gives every job back",
  "never starts its jobs",
  "tells the truth once in five times",
];
/** Requests at a time. A liar may take each of them before it is judged, so a large round would pass `mostJobs`. */
const roundSize = 4;
/** Devices that hold their jobs get few of them. */
const mostMs = 240_000;
/** So many devices that were not paused fail the run at once. Each of them may have taken the time of a whole run. */
const mostAtLarge = 3;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    few: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

type Result = {
  readonly lie: string;
  readonly given: number;
  readonly paused: boolean;
  readonly faults: readonly string[];
};

/**
 * Lets one device after another lie about its jobs, or return them, beside two honest donors. Checks that every request is answered, that
 * no lie is paid, and that each liar is paused. `--only TEXT` plays the kinds whose name contains the text, and `--few` one of each sort.
 */
async function main(): Promise<number> {
  const farm = await startFarm();
  try {
    await farm.startDonor("honest-1");
    await farm.startDonor("honest-2");
    const watcher = await Watcher.signIn(farm.backend.url, farm.organization.signInToken);
    // Until the donors have answered something, the first liar would be the only device.
    await new Load(farm).send(4);
    await untilHonest(watcher);
    const results: Result[] = [];
    for (const [lie, tell] of Object.entries(lies).filter(([name]) => isWanted(name))) {
      if (results.filter(({ paused }) => !paused).length >= mostAtLarge) break;
      const liar = await MaliciousDevice.enroll(farm, lie, tell);
      const failures: unknown[] = [];
      const working = liar.work().catch((error: unknown) => void failures.push(error));
      const load = new Load(farm);
      const until = Date.now() + mostMs;
      while (Date.now() < until && !isOver(await rowOf(watcher, liar), liar)) {
        await load.send(roundSize, lie.startsWith("streams"));
      }
      liar.stop();
      await working;
      const row = await rowOf(watcher, liar);
      const paused = row?.status === "paused";
      const faults = [
        ...load.errors.map((error) => `a request failed: ${error}`),
        ...failures.map((error) => `the liar could not go on: ${describe(error)}`),
        ...(load.answered === load.sent ? [] : [`${load.sent - load.answered} requests were not answered`]),
        ...(row?.earnedMicro === 0n || lie.startsWith("tells")
          ? []
          : [`the liar earned ${row?.earnedMicro} micro-credits`]),
        ...(paused ? [] : [`the liar was not paused after ${liar.given} jobs`]),
        ...(liar.given <= mostJobs ? [] : [`the liar got ${liar.given} jobs`]),
      ];
      results.push({ lie, given: liar.given, paused, faults });
      if (!values.json)
        console.log(`  ${lie.padEnd(42)} ${liar.given} jobs, ${faults.join("; ") || "paused"}`);
    }
    const wrong = ledgerFaults(await farm.setup.ledgerCheck());
    await watcher.close();
    if (values.json) console.log(JSON.stringify({ results, ledger: wrong }));
    for (const fault of wrong) console.error(`chaos: ${fault}`);
    return wrong.length === 0 && results.every(({ faults }) => faults.length === 0) ? 0 : 1;
  } finally {
    await farm.close();
  }
}

function isWanted(kind: string): boolean {
  return kind.includes(values.only) && (!values.few || fewKinds.includes(kind));
}

async function untilHonest(watcher: Watcher): Promise<void> {
  await watcher.untilDevices((rows) => rows.filter(({ accepting }) => accepting).length >= 2, 60_000);
}

/** An error's message and its cause's: fetch() says the reason there. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
}

async function rowOf(watcher: Watcher, { deviceId }: MaliciousDevice): Promise<DeviceRow | undefined> {
  return (await watcher.devices()).find((row) => row.deviceId === deviceId);
}

function isOver(row: DeviceRow | undefined, { given }: MaliciousDevice): boolean {
  return row?.status === "paused" || given > mostJobs;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

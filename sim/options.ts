import { parseArgs } from "node:util";
import { variants } from "./policies/variants.ts";
import { type ScenarioName, scenarioNames } from "./scenarios/trace.ts";

export type Options = {
  readonly devices: number;
  readonly jobs: number;
  readonly seed: number;
  /** Promises are replayed with so many seeds, from that one on. */
  readonly seeds: number;
  readonly load: number;
  readonly scenarios: readonly ScenarioName[];
  readonly json: boolean;
  /** The variants to compare. Null compares all policies. */
  readonly compare: string | null;
  /** Whether to compare policies for a fleet of fast and slow devices instead. */
  readonly speeds: boolean;
  /** Whether to replay promises of when a batch ends instead. */
  readonly promises: boolean;
  /** The file with an organization's recorded days, on which promises are replayed. Null: days are drawn. */
  readonly recorded: string | null;
  /** Whether to simulate fleets with dishonest devices instead. */
  readonly trust: boolean;
  /** The folder for curves. Null draws none. */
  readonly svg: string | null;
};

export type Parsed =
  | { readonly kind: "run"; readonly options: Options }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

export const usage = `npm run -s sim -- [trust] [options]
  trust            simulate fleets with dishonest devices (1,000 devices with 500 jobs each by default)
  --devices N      devices of the fleet, in use or not (1000000); 10 to 1,000,000
  --jobs N         jobs of each scenario (6000); 100 to 1,000,000
  --scenario NAME  ${scenarioNames.join(", ")}; all scenarios by default
  --load SHARE     share of the available devices that the jobs keep busy (0.3); 0.01 to 0.95
  --seed N         the seed of all random draws (1)
  --seeds N        with --promises: so many seeds, from that one on (5); 1 to 100
  --compare NAME   compare variants of one policy: ${Object.keys(variants).join(", ")}
  --speeds         compare policies for a fleet of fast and slow devices (60 devices by default)
  --promises       replay promises of when a batch ends (60 laptops by default)
  --recorded FILE  with --promises: replay them on the days that organizations recorded (rows of capacityDays)
  --json           print only one JSON object
  --curves         run fleets of 10 to 1,000,000 and draw docs/images/queue-*.svg
  --svg FOLDER     the same, in this folder
  --help           print this text`;

const curvesFolder = "docs/images";

export function parseOptions(args: readonly string[]): Parsed {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        devices: { type: "string" },
        jobs: { type: "string" },
        seed: { type: "string", default: "1" },
        seeds: { type: "string", default: "5" },
        load: { type: "string", default: "0.3" },
        scenario: { type: "string" },
        compare: { type: "string" },
        speeds: { type: "boolean", default: false },
        promises: { type: "boolean", default: false },
        recorded: { type: "string" },
        json: { type: "boolean", default: false },
        curves: { type: "boolean", default: false },
        svg: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    const trust = isTrust(positionals);
    return {
      kind: "run",
      options: {
        devices: devicesOf(values.devices, { ...values, trust }),
        jobs: jobsOf(values.jobs, trust),
        seed: whole("seed", values.seed, 0, 2 ** 31 - 1),
        seeds: whole("seeds", values.seeds, 1, 100),
        load: share(values.load),
        scenarios: values.scenario === undefined ? scenarioNames : [scenario(values.scenario)],
        compare: values.compare === undefined ? null : compared(values.compare),
        speeds: values.speeds,
        promises: values.promises,
        recorded: values.recorded ?? null,
        trust,
        json: values.json,
        svg: values.svg ?? (values.curves ? curvesFolder : null),
      },
    };
  } catch (error) {
    if (error instanceof RangeError || (error instanceof TypeError && "code" in error)) {
      return { kind: "wrong", message: error.message };
    }
    throw error;
  }
}

function isTrust(words: readonly string[]): boolean {
  const [first, ...others] = words;
  if (first === undefined || (first === "trust" && others.length === 0)) return first === "trust";
  throw new RangeError(
    `Unexpected argument "${words.find((word) => word !== "trust") ?? first}". The only one is trust.`,
  );
}

/** Every laptop of an office is drawn minute by minute, and of a fleet with dishonest devices every answer, so these are small. */
function devicesOf(
  text: string | undefined,
  { speeds, promises, trust }: Pick<Options, "speeds" | "promises" | "trust">,
): number {
  const usual = trust ? "1000" : speeds || promises ? "60" : "1000000";
  return whole("devices", text ?? usual, 10, trust ? 100_000 : promises ? 1_000 : 1_000_000);
}

/** Of a fleet with dishonest devices these are the jobs of each device. */
function jobsOf(text: string | undefined, trust: boolean): number {
  return trust ? whole("jobs", text ?? "500", 300, 10_000) : whole("jobs", text ?? "6000", 100, 1_000_000);
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new RangeError(`--${name} takes a whole number from ${least} to ${most}, not "${text}".`);
  }
  return value;
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0.01 && value <= 0.95)) {
    throw new RangeError(`--load takes a share from 0.01 to 0.95, not "${text}".`);
  }
  return value;
}

function compared(text: string): string {
  if (Object.hasOwn(variants, text)) return text;
  throw new RangeError(`--compare takes ${Object.keys(variants).join(", ")}, not "${text}".`);
}

function scenario(text: string): ScenarioName {
  const known = scenarioNames.find((name) => name === text);
  if (known === undefined)
    throw new RangeError(`--scenario takes ${scenarioNames.join(", ")}, not "${text}".`);
  return known;
}

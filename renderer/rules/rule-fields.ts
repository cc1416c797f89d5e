import { someRules } from "../../app/policy/rule-schemas.ts";
import type { RuleName } from "../../app/policy/rules.ts";

/** How a rule is entered. */
export type RuleField =
  | { readonly kind: "switch" }
  | NumberField
  | { readonly kind: "names"; readonly placeholder: string }
  | { readonly kind: "gpus" | "schedule" | "idle" | "inUse" };

export type NumberField = {
  readonly kind: "number";
  readonly unit: string;
  /** What is shown for one of the rule's own units, e.g. 100 for a share in percent. */
  readonly factor: number;
  /** What null means, where the rule takes it. */
  readonly none?: string;
};

const toggle = { kind: "switch" } as const;
const number = (unit: string, none?: string, factor = 1): NumberField => ({
  ...{ kind: "number", unit, factor },
  ...(none === undefined ? {} : { none }),
});

export const ruleFields: Readonly<Record<RuleName, RuleField>> = {
  requireIdle: toggle,
  idleAfterSeconds: number("seconds"),
  idleWhenLocked: toggle,
  allowDonateNow: toggle,
  schedule: { kind: "schedule" },
  idle: { kind: "idle" },
  inUse: { kind: "inUse" },
  gpus: { kind: "gpus" },
  allowOnBattery: toggle,
  batteryFloorPercent: number("%"),
  maxTemperatureC: number("°C", "No limit"),
  quiet: toggle,
  maxOtherCpuLoad: number("%", undefined, 100),
  otherCpuLoadHysteresis: number("%", undefined, 100),
  maxOtherGpuLoad: number("%", undefined, 100),
  minFreeMemoryMb: number("MiB"),
  excludedPrograms: { kind: "names", placeholder: "e.g. teams, obs64.exe" },
  holdOnFullScreen: toggle,
  holdOnCall: toggle,
  holdOnMedia: toggle,
  allowMetered: toggle,
  requiredNetworks: { kind: "names", placeholder: "e.g. Office-WiFi, corp.example.org" },
  downloadKbps: number("kbit/s", "No limit"),
  networkBudgetMbPerDay: number("MiB", "No limit"),
  shareModels: toggle,
  diskQuotaMb: number("MiB"),
  minFreeDiskMb: number("MiB"),
  modelWarmSeconds: number("seconds"),
};

/** What is wrong with a rule's value, in a sentence; null when nothing is. */
export function problemOf(name: RuleName, value: unknown): string | null {
  if (someRules.shape[name].safeParse(value).success) return null;
  const field = ruleFields[name];
  switch (field.kind) {
    case "number": {
      const bounds = numberBounds(name);
      const [from, to] = [bounds.min, bounds.max].map((bound) => (bound * field.factor).toLocaleString("en"));
      return `Must be ${field.factor === 1 ? "a whole number" : "a number"} from ${from ?? ""} to ${to ?? ""}.`;
    }
    case "names":
      return "At most 100 names, each of at most 200 characters.";
    case "gpus":
      return "Numbers from 0 to 63 with commas between them.";
    case "schedule":
      return "Each line needs a day, a time from and a time to.";
    case "idle":
    case "inUse":
      return "Threads must be a whole number from 1 to 256, and memory one from 0 to 16,777,216 MiB.";
    case "switch":
      return "Must be on or off.";
  }
}

function numberBounds(name: RuleName): { readonly min: number; readonly max: number } {
  let schema: unknown = someRules.shape[name];
  // Optional and nullable wrap the number itself.
  while (hasInner(schema)) schema = schema.unwrap();
  const { minValue, maxValue } = schema as {
    readonly minValue: number | null;
    readonly maxValue: number | null;
  };
  return { min: minValue ?? 0, max: maxValue ?? Number.MAX_SAFE_INTEGER };
}

function hasInner(schema: unknown): schema is { unwrap(): unknown } {
  return typeof schema === "object" && schema !== null && "unwrap" in schema;
}

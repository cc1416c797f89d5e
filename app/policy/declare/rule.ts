import { formatCount, formatExactMebibytes, formatShare } from "../../format/quantity.ts";
import { spellSeconds } from "../../format/time.ts";

/** The groups in which rules are shown. */
export const ruleSections = {
  when: "When",
  gives: "What a computer gives",
  power: "Power and heat",
  others: "Other programs",
  network: "Network",
  models: "Models",
  updates: "Updates",
  membership: "Membership",
} as const;

export type RuleSection = keyof typeof ruleSections;

/** How people read a rule. */
type RuleWords = {
  readonly section: RuleSection;
  /** A few words, the same wherever the rule is shown. */
  readonly title: string;
  /** One sentence that says what it does. */
  readonly hint: string;
};

/** How a rule is entered, and its bounds. The schemas and the editors derive from it. */
export type Field =
  | { readonly kind: "switch" }
  | NumberField
  | { readonly kind: "names"; readonly placeholder: string }
  | { readonly kind: "gpus" | "schedule" | "idle" | "inUse" };

type NumberField = {
  readonly kind: "number";
  readonly unit: Unit;
  readonly min: number;
  readonly max: number;
  /** Whether null, "no limit", is allowed too. */
  readonly optional: boolean;
  /** The values that a donor chooses from. Those in MiB read as round numbers of MB or GB, except for a default. */
  readonly choices: readonly (number | null)[];
};

/** The unit that people read. A "%" rule is whole percent; a "share" is stored from 0 to 1 and shown in percent. */
export type Unit = "seconds" | "%" | "share" | "°C" | "MiB" | "kbit/s";

/** The declaration of one rule: everything that its type, schema, editor and words derive from. */
export type Rule<Value> = RuleWords & {
  readonly default: Value;
  readonly field: Field;
  /** A value in words, e.g. "5 minutes" or "no limit". */
  readonly say: (value: Value) => string;
};

/** The values of some declared rules, by name. */
export type ValuesOf<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Rule<infer Value> ? Value : never;
};

type Declared<Value> = RuleWords & { readonly default: Value; readonly say?: (value: Value) => string };

export function yesOrNo(rule: Declared<boolean>): Rule<boolean> {
  return {
    say: (value) => (value ? /* @wc-include */ "yes" : /* @wc-include */ "no"),
    ...rule,
    field: { kind: "switch" },
  };
}

export function allowed(rule: Declared<boolean>): Rule<boolean> {
  return yesOrNo({ say: (value) => (value ? /* @wc-include */ "allowed" : "not allowed"), ...rule });
}

type Bounds = Pick<NumberField, "unit" | "min" | "max">;

export function number({
  unit,
  min,
  max,
  choices,
  ...rule
}: Declared<number> & Bounds & { readonly choices: readonly number[] }): Rule<number> {
  return {
    say: (value) => sayNumber(unit, value),
    ...rule,
    field: { kind: "number", unit, min, max, optional: false, choices },
  };
}

/** A number, or null for no limit. */
export function limit({
  unit,
  min,
  max,
  choices,
  ...rule
}: Declared<number | null> & Bounds & { readonly choices: readonly (number | null)[] }): Rule<number | null> {
  return {
    say: (value) => (value === null ? "no limit" : sayNumber(unit, value)),
    ...rule,
    field: { kind: "number", unit, min, max, optional: true, choices },
  };
}

/** @param none what an empty list means. */
export function names({
  placeholder,
  none,
  ...rule
}: Declared<readonly string[]> & { readonly placeholder: string; readonly none: string }): Rule<
  readonly string[]
> {
  return { say: (value) => value.join(", ") || none, ...rule, field: { kind: "names", placeholder } };
}

function sayNumber(unit: Unit, value: number): string {
  switch (unit) {
    case "seconds":
      return spellSeconds(value);
    case "MiB":
      return formatExactMebibytes(value);
    case "share":
      return formatShare(value);
    case "%":
      return formatShare(value / 100);
    case "kbit/s":
    case "°C":
      return `${formatCount(value)} ${unit}`;
  }
}

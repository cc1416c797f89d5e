import * as z from "zod";
import type { Field } from "./declare/rule.ts";
import type { OrganizationRules, SomeRules } from "./rule-layers.ts";
import { type RuleName, ruleNames, type Rules, rules as declared } from "./rules.ts";
import type { GpuChoices, IdleLimits, InUseLimits } from "./rules/limits.ts";
import type { ScheduleWindow } from "./rules/schedule.ts";

const mebibytes = z
  .number()
  .int()
  .min(0)
  .max(16 * 2 ** 20);
const threads = z.number().int().min(1).max(256);
const minuteOfDay = z.number().int().min(0).max(1_440);

const idle = z
  .object({ threads: threads.nullable(), gpu: z.boolean(), memoryMb: mebibytes.nullable() })
  .strict() satisfies z.ZodType<IdleLimits>;

const inUse = z
  .object({ mode: z.enum(["off", "limited"]), threads, gpu: z.boolean(), memoryMb: mebibytes })
  .strict() satisfies z.ZodType<InUseLimits>;

const gpus = z
  .array(z.object({ index: z.number().int().min(0).max(63), allow: z.boolean() }).strict())
  .max(64) satisfies z.ZodType<GpuChoices>;

const scheduleWindow = z
  .object({
    days: z.array(z.number().int().min(0).max(6)).min(1).max(7),
    fromMinute: minuteOfDay,
    toMinute: minuteOfDay,
  })
  .strict() satisfies z.ZodType<ScheduleWindow>;

/** The bounds of a rule, for the settings file, the panel's calls and the organization's policy alike. */
function schemaOf(field: Field): z.ZodType {
  switch (field.kind) {
    case "switch":
      return z.boolean();
    case "number": {
      const value = z.number().min(field.min).max(field.max);
      const whole = field.unit === "share" ? value : value.int();
      return field.optional ? whole.nullable() : whole;
    }
    case "names":
      return z.array(z.string().trim().min(1).max(200)).max(100);
    case "gpus":
      return gpus;
    case "schedule":
      return z.array(scheduleWindow).max(50).nullable();
    case "idle":
      return idle;
    case "inUse":
      return inUse;
  }
}

const schemas = Object.fromEntries(
  ruleNames.map((name) => [name, schemaOf(declared[name].field)]),
) as unknown as { readonly [Name in RuleName]: z.ZodType<Rules[Name]> };

/** Some of the rules, each within its bounds. An unknown rule is refused. */
export const someRules = z.object(schemas).partial().strict();

export const ruleName = z.enum(ruleNames as readonly [RuleName, ...RuleName[]]);

/** Rules as they were stored or sent, perhaps by another version. Leaves out unknown rules and values out of bounds. */
export function readRules(stored: Readonly<Record<string, unknown>>): SomeRules {
  const values: Partial<Record<RuleName, unknown>> = {};
  for (const name of ruleNames) {
    const parsed = schemas[name].safeParse(stored[name]);
    if (parsed.success) values[name] = parsed.data;
  }
  return values as SomeRules;
}

/** The same with locks. A lock counts even without a readable value: the rule then stays at the default. */
export function readOrganizationRules(stored: {
  readonly values: Readonly<Record<string, unknown>>;
  readonly locked: readonly string[];
}): OrganizationRules {
  return {
    values: readRules(stored.values),
    locked: ruleNames.filter((name) => stored.locked.includes(name)),
  };
}

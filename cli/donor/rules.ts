import { type CallAnswer, type CallArgument, calls } from "../../app/contract/donor-calls.ts";
import { parseJson } from "../../app/json.ts";
import { ruleName } from "../../app/policy/rule-schemas.ts";
import { type RuleName, ruleOf } from "../../app/policy/rules.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson, table } from "../command/output.ts";
import { askDonor, donorOptions, donorUsage } from "./ask.ts";

const usage = `gleaner rules [options]
gleaner rules RULE VALUE [options]
gleaner rules RULE default [options]
Lists the donor's rules, and who decided each. With VALUE, sets a rule for this computer. With "default", leaves it to
the organization or to Gleaner again. docs/donor/policy.md describes every rule.
  VALUE                  a number, true, false, names separated by commas, or JSON. For example: idleAfterSeconds 300,
                         quiet true, excludedPrograms obs,zoom, maxTemperatureC null,
                         idle '{"threads":2,"gpu":false,"memoryMb":4096}'
${donorUsage}`;

export const rules: Verb = { usage, options: donorOptions, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, donorOptions, usage, 2);
  const [rule, value] = positionals;
  if (rule !== undefined && value === undefined)
    throw usageError(`Name a value for ${rule}, or "default".`, usage);
  if (rule !== undefined && value !== undefined) {
    if (value === "default") await askDonor(flags, "resetRules", { names: [nameOf(rule)] });
    else await askDonor(flags, "setRules", parseRule(nameOf(rule), value));
  }
  const answer = await askDonor(flags, "rules", null);
  if (flags.json) sayJson(answer);
  else say(sayRules(answer));
}

function nameOf(text: string): RuleName {
  const name = ruleName.safeParse(text);
  if (!name.success) throw usageError(`Unknown rule "${text}".`, usage);
  return name.data;
}

/** Checks the bounds here to say which argument is wrong. The donor checks them again. */
function parseRule(name: RuleName, text: string): CallArgument<"setRules"> {
  const names = text.split(",").filter((each) => each.trim() !== "");
  for (const value of [parseJson(text), names]) {
    const parsed = calls.setRules.argument.safeParse({ [name]: value });
    if (value !== undefined && parsed.success) return parsed.data;
  }
  throw usageError(`${name} cannot be ${text}. ${allowedWords(name)}`, usage);
}

function allowedWords(name: RuleName): string {
  const { field, hint } = ruleOf(name);
  if (!(name in calls.setRules.argument.shape)) return "It cannot be set here.";
  if (field.kind === "switch") return `Use true or false. ${hint}`;
  if (field.kind !== "number") return hint;
  const number = field.unit === "share" ? "number" : "whole number";
  return `Use a ${number} from ${field.min} to ${field.max}${field.optional ? ", or null" : ""}. ${hint}`;
}

function sayRules({ rules: all }: CallAnswer<"rules">): string {
  const head = ["rule", "value", "decided by"];
  const decided = {
    default: "Gleaner",
    donor: "you",
    organization: "your organization",
    managed: "this computer's administrator",
  } as const;
  return table([
    head,
    ...all.map(({ name, words, from, locked }) => [
      name,
      words,
      `${decided[from]}${locked ? ", locked" : ""}`,
    ]),
  ]);
}

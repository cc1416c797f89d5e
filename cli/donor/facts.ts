import { describeConfinement } from "../../app/contract/confinement.ts";
import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import { factLabel, sayFact } from "../../app/facts/facts.ts";
import { formatDuration } from "../../app/format/time.ts";
import { readArguments } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson, table } from "../command/output.ts";
import { askDonor, donorOptions, donorUsage } from "./ask.ts";

const usage = `gleaner facts [options]
Shows every fact that the donor's decisions depend on: its value, source and age. A fact that this system does not
report is shown as unknown. The last lines tell how far the process with the model is kept from the rest of the system.
${donorUsage}`;

export const facts: Verb = { usage, options: donorOptions, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, donorOptions, usage).values;
  const answer = await askDonor(flags, "facts", null);
  if (flags.json) sayJson(answer);
  else say([factTable(answer, Date.now()), "", ...confinementLines(answer)].join("\n"));
}

function factTable({ facts }: CallAnswer<"facts">, now: number): string {
  const head = ["fact", "value", "age", "source"];
  const rows = facts.map(({ name, fact, source, at }) => [
    factLabel(name),
    sayFact(name, fact),
    at === null ? "" : formatDuration(Math.max(0, now - at)),
    source ?? "",
  ]);
  return table([head, ...rows]);
}

/** One line about the confinement, and one for each thing that the system could not give. */
export function confinementLines({
  confinement,
}: Pick<CallAnswer<"facts">, "confinement">): readonly string[] {
  if (confinement === undefined) return [];
  const { label, value, gaps } = describeConfinement(confinement);
  return [`${label}: ${value}`, ...gaps.map((gap) => `  ${gap}`)];
}

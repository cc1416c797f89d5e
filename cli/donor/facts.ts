import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import { factLabel, sayFact } from "../../app/facts/facts.ts";
import { formatSpan } from "../../app/format/time.ts";
import type { Verb } from "../command/command.ts";
import { askDonor, donorOptions, donorUsage, readArguments } from "./ask.ts";
import { table } from "./words.ts";

const usage = `gleaner facts [options]
Shows every fact that the donor's decisions rest on: its value, where it comes from, and how old it is. What this
system does not tell is shown as unknown, with who was asked.
${donorUsage}`;

export const facts: Verb = {
  summary: "show what the donor knows of this computer, and from where",
  usage,
  run,
};

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, donorOptions, usage).values;
  const answer = await askDonor(flags, "facts", null);
  console.log(flags.json ? JSON.stringify(answer) : factTable(answer, Date.now()));
}

function factTable({ facts }: CallAnswer<"facts">, now: number): string {
  const head = ["fact", "value", "age", "source"];
  const rows = facts.map(({ name, fact, source, at }) => [
    factLabel(name),
    sayFact(name, fact),
    at === null ? "" : formatSpan(Math.max(0, now - at)),
    source ?? "",
  ]);
  return table([head, ...rows]);
}

import { formatCount } from "../../app/format/quantity.ts";
import { usageDays } from "../../app/usage/usage-table.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson, table } from "../command/output.ts";
import { exitCodes, openApi } from "./client/api.ts";
import { credits, usageTable } from "./client/wire.ts";

const usageText = `gleaner usage [--days 7|30|90] [options]
Shows the jobs, tokens and credits of your key by day (UTC), the newest day last, and what it can spend now.
  --days N               7, 30 (default) or 90 days, with today
  --json                 print the answer as JSON, with available_credits
${exitCodes}`;

const options = {
  days: { type: "string", default: "30" },
  json: { type: "boolean", default: false },
} as const;

export const usage: Verb = { usage: usageText, options, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags } = readArguments(args, options, usageText);
  const days = usageDays.find((each) => String(each) === flags.days);
  if (days === undefined) throw usageError("--days must be 7, 30 or 90.", usageText);
  const api = await openApi();
  const answer = await api.get(`/usage?days=${String(days)}`, usageTable);
  const { available_credits: available } = await api.get("/credits", credits);
  if (flags.json) {
    sayJson({ ...answer, available_credits: available });
    return;
  }
  const shown = (value: number | null): string => (value === null ? "" : formatCount(value));
  const rows = answer.data.map((row) => [
    row.day,
    shown(row.jobs),
    shown(row.answered),
    shown(row.prompt_tokens),
    shown(row.completion_tokens),
    row.credits === null ? "" : String(row.credits),
  ]);
  say(table([["day", "jobs", "answered", "tokens read", "tokens written", "credits"], ...rows]));
  say(`Your key can spend ${String(available)} credits now.`);
}

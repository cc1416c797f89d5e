import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { formatCount } from "../../../app/format/quantity.ts";
import { needsText } from "../../../app/keys/parse-needs.ts";
import { usageError } from "../../command/arguments.ts";
import { CommandError, exitUsage } from "../../command/command.ts";
import { readChatOptions } from "../client/chat-options.ts";
import { parseRequires } from "../client/requires.ts";
import { checkWindow } from "../pages.ts";
import { errorColumn } from "./answer-file.ts";
import { hashOfTable, planRun } from "./plan.ts";
import { formatOf } from "./rows.ts";
import type { RunSettings, RunState } from "./run-state.ts";

type Flags = Parameters<typeof readChatOptions>[0] & {
  readonly template?: string | undefined;
  readonly system?: string | undefined;
  readonly requires?: string | undefined;
  readonly output?: string | undefined;
  readonly column: string;
  readonly within: string;
  readonly first: string;
};

/** More would be a batch without its advantages: each is a call that waits. */
const mostFirst = 100;

/** The settings of a run but for its model, which the server knows. Rejects with a CommandError for wrong ones. */
export async function readSettings(
  file: string,
  flags: Flags,
  usage: string,
): Promise<Omit<RunSettings, "model">> {
  const { template, column, within } = flags;
  if (template === undefined) throw usageError('Say what to ask: --template "Summarize: {{text}}".', usage);
  const format = formatOf(file);
  const outputFormat = formatOf(flags.output ?? file);
  if (format === null) throw usageError(`${file} must end with .csv or .jsonl.`, usage);
  if (outputFormat === null) throw usageError("--output must end with .csv or .jsonl.", usage);
  if (!/^\d{1,3}$/.test(flags.first) || Number(flags.first) > mostFirst) {
    throw usageError(`--first must be a number from 0 to ${formatCount(mostFirst)}.`, usage);
  }
  checkWindow(within, usage);
  const chat = readChatOptions(flags, usage);
  const requires = needsText(parseRequires(flags.requires));
  const input = resolve(file);
  return {
    input,
    inputSha256: await hashOfTable(input),
    format,
    outputFormat,
    template,
    system: flags.system ?? null,
    ...chat,
    requires,
    within,
    column,
    first: Number(flags.first),
  };
}

/** Reads the table, and plans its run. Rejects with a CommandError for a table that does not fit. */
export async function newRun(url: string, settings: RunSettings): Promise<RunState> {
  const { rows, columns, parts } = await planRun(settings, settings.first);
  const taken = [settings.column, errorColumn(settings.column)].find((name) => columns.includes(name));
  if (taken !== undefined) {
    throw new CommandError(
      `${settings.input} has a column "${taken}" already. Name another one for the answers: --column NAME`,
      exitUsage,
    );
  }
  return {
    version: 1,
    id: randomUUID(),
    url,
    settings,
    rows,
    columns: [...columns],
    parts: parts.map((part) => ({ ...part, fileId: null, batchId: null })),
    isAgreed: false,
    written: { rows: 0, bytes: 0, failed: 0 },
    firstPriceMicro: "0",
  };
}

import { rm } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { formatCount, plural } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { readArguments, usageError } from "../../command/arguments.ts";
import { askLine } from "../../command/ask-person.ts";
import { CommandError, exitInterrupted, type Verb } from "../../command/command.ts";
import { Progress, say, sayJson } from "../../command/output.ts";
import { exitCodes, openApi } from "../client/api.ts";
import { chatOptions, chatOptionsUsage } from "../client/chat-options.ts";
import { findModel } from "../client/models.ts";
import { AnswerFile, errorColumn } from "./answer-file.ts";
import { RunBatches } from "./batches.ts";
import { expectedEnd } from "./expected-end.ts";
import { openRun, resumeCommand } from "./open-run.ts";
import { RunRecord, type RunState } from "./run-state.ts";
import { readSettings } from "./settings.ts";
import { tryFirst } from "./try-first.ts";

const usage = `gleaner run FILE.csv|FILE.jsonl --template TEXT [options]
gleaner run --resume OUTPUT [--yes]
Asks a model about each row of a table. First it asks about 20 rows and shows the answers, and what the others would
cost and when they would be done. If you agree, it submits the others as batches, and writes the answers in the order of
the rows as they come. After Ctrl-C or a crash, the same command or --resume continues: nothing is submitted twice, and no
row is written twice. The batches go on meanwhile.
  --template TEXT        the question: "Summarize: {{text}}". {{text}} is the row's value in the column text
${chatOptionsUsage}
  --output FILE          the rows with their answers, .csv or .jsonl (default: FILE.answers.csv or .jsonl)
  --column NAME          the name of the column for the answers (default: answer). Errors are in NAME_error
  --within WINDOW        the time until which the batches are done, from 1h to 7d (default: 24h)
  --first N              how many rows are tried first (default: 20; 0 tries none)
  --yes                  submit the others without a question. Needed with --json, and if nobody is at a terminal
  --resume OUTPUT        continue the run that writes this file
  --json                 print the result as JSON
${exitCodes}
It also ends with 1 if a row has an error, and with 130 after Ctrl-C.`;

const options = {
  template: { type: "string" },
  ...chatOptions,
  output: { type: "string" },
  column: { type: "string", default: "answer" },
  within: { type: "string", default: "24h" },
  first: { type: "string", default: "20" },
  yes: { type: "boolean", default: false },
  resume: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const runTable: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 1);
  const [file] = positionals;
  if ((file === undefined) === (flags.resume === undefined)) {
    throw usageError("Name the table, or an output with --resume.", usage);
  }
  if (flags.resume !== undefined) refuseOthers(args);
  const progress = new Progress(flags.json);
  const settings = file === undefined ? null : await readSettings(file, flags, usage);
  const api = await openApi();
  const given = settings === null ? null : { ...settings, model: await findModel(api, flags.model) };
  const output = resolve(flags.resume ?? flags.output ?? defaultOutput(file ?? ""));
  const record = new RunRecord(output, await openRun(api.url, output, given));
  await record.save({});
  stopOnInterrupt(output);
  const answers = await AnswerFile.open(output, record);
  const failed = await orResumable(output, tryFirst(api, record, answers, progress));
  if (failed.length > 0 && failed.length === Math.min(record.state.settings.first, record.state.rows)) {
    await answers.close();
    await rm(output);
    await record.remove();
    throw new CommandError(
      `None of the first rows was answered, so nothing else was submitted.\n${failed[0] ?? ""}`,
    );
  }
  if (record.state.parts.length > 0 && !record.state.isAgreed) {
    const end = await expectedEnd(api, record.state);
    if (end !== null) progress.done(end);
    await agree(record, output, flags);
  }
  const batches = new RunBatches(api, record, answers, progress);
  await orResumable(output, batches.finish());
  await answers.close();
  await record.remove();
  progress.clear();
  report(output, record.state, batches.priceMicro, flags.json);
}

/** A run that is continued has its own options. */
function refuseOthers(args: readonly string[]): void {
  const fitting: ReadonlySet<string> = new Set(["resume", "yes", "json"]);
  const other = Object.keys(options).find(
    (name) => !fitting.has(name) && args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
  );
  if (other !== undefined)
    throw usageError(
      `--resume continues a run with the options that it began with, without --${other}.`,
      usage,
    );
}

/** Says with a failure how to continue. */
async function orResumable<Result>(output: string, step: Promise<Result>): Promise<Result> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${error.message}\nTo continue: ${resumeCommand(output)}`, error.exitCode);
  }
}

function defaultOutput(file: string): string {
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}.answers${extension}`;
}

/** Nothing has to be put in order: what was written and saved so far is consistent at every moment. */
function stopOnInterrupt(output: string): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      console.error(
        `\nStopped here. What was submitted goes on at the server. To continue: ${resumeCommand(output)}`,
      );
      process.exit(exitInterrupted);
    });
  }
}

/**
 * Notes that the person wants the rows after the first ones. Rejects with a CommandError if not. With --json nobody has seen the first
 * answers, so nobody is asked.
 */
async function agree(
  record: RunRecord,
  output: string,
  flags: { readonly yes: boolean; readonly json: boolean },
): Promise<void> {
  const { rows, parts, written } = record.state;
  const others = formatCount(rows - (parts[0]?.from ?? 0));
  const isWanted =
    flags.yes ||
    (!flags.json &&
      process.stdin.isTTY &&
      /^y(es)?$/i.test((await askLine(`Submit the other ${others} rows? [y/N] `)).trim()));
  if (isWanted) {
    await record.save({ isAgreed: true });
    return;
  }
  const there = written.rows === 0 ? "" : ` The first answers are in ${output}.`;
  throw new CommandError(
    `The other ${others} rows were not submitted.${there} To submit them: ${resumeCommand(output)} --yes`,
  );
}

function report(output: string, state: RunState, batchesMicro: bigint, json: boolean): void {
  const { rows, written, parts, settings, firstPriceMicro } = state;
  const priceMicro = String(batchesMicro + BigInt(firstPriceMicro));
  const { failed } = written;
  if (json) {
    const batches = parts.map(({ batchId }) => batchId);
    sayJson({ output, rows, answered: rows - failed, failed, price_micro: priceMicro, batches });
  } else {
    say(
      `${output} has ${plural(rows, ["# row", "# rows"])} with their answers. They have cost ${formatCredits(priceMicro)}.`,
    );
  }
  if (failed === 0) return;
  const column = errorColumn(settings.column);
  throw new CommandError(
    `${plural(failed, ["# row has an error", "# rows have an error"])}, in the column ${column}.`,
  );
}

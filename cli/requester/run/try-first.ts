import { formatCount } from "../../../app/format/quantity.ts";
import { quotable } from "../../../app/format/visible.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import type { Progress } from "../../command/output.ts";
import { type Api, ApiRefusal } from "../client/api.ts";
import { ask, waitWords } from "../client/ask.ts";
import { parseRequires } from "../client/requires.ts";
import { textOf } from "../client/wire.ts";
import type { AnswerFile, RowAnswer } from "./answer-file.ts";
import { Patience } from "./patience.ts";
import { nameOfRow, requestOf } from "./plan.ts";
import { readRows } from "./rows.ts";
import type { RunRecord } from "./run-state.ts";
import type { Fields } from "./template.ts";

const shownChars = 300;

/**
 * Asks about the first rows with calls, which are answered before batches, shows the answers and writes them. Returns the errors
 * among them, or an empty list if an earlier start did it. Rejects for what would be wrong with every row, such as the key.
 */
export async function tryFirst(
  api: Api,
  record: RunRecord,
  answers: AnswerFile,
  progress: Progress,
): Promise<readonly string[]> {
  const { id, settings, rows, written } = record.state;
  const first = Math.min(settings.first, rows);
  if (written.rows >= first) return [];
  const requires = parseRequires(settings.requires);
  const patience = new Patience(progress);
  let done = 0;
  let priceMicro = 0n;
  const found: RowAnswer[] = [];
  let lastWait: string | null = null;
  const show = (): void =>
    progress.bar(done, first, `${formatCount(done)} of the first ${formatCount(first)} rows`);
  const onWait = (waitsFor: string | null): void => {
    if (waitsFor !== null && waitsFor !== lastWait) progress.done(`Waiting: ${waitWords(waitsFor)}.`);
    lastWait = waitsFor;
  };
  const askAbout = async (row: number, fields: Fields): Promise<void> => {
    const question = {
      body: requestOf(settings, fields),
      requires,
      idempotencyKey: `${id}-${nameOfRow(row)}`,
    };
    const asked = await patience.repeat(() => ask(api, question, onWait)).catch(errorOfRow);
    if (!("isError" in asked)) priceMicro += asked.priceMicro;
    found[row] = "isError" in asked ? asked : { text: textOf(asked.body), isError: false };
    done += 1;
    show();
  };
  const tried: Fields[] = [];
  for await (const fields of readRows(settings.input, settings.format)) {
    tried.push(fields);
    if (tried.length === first) break;
  }
  show();
  await Promise.all(tried.map((fields, row) => askAbout(row, fields)));
  for (const [index, answer] of found.entries()) {
    answers.add(index, answer);
    progress.done(
      `${String(index + 1)}  ${answer.isError ? "Error: " : ""}${quotable(answer.text, shownChars)}`,
    );
  }
  await record.save({ firstPriceMicro: String(priceMicro) });
  await answers.flush();
  if (priceMicro > 0n) progress.done(costOf(priceMicro, first, rows));
  return found.flatMap(({ text, isError }) => (isError ? [text] : []));
}

/** The end of one row. Any other refusal ends the command, which can be continued once its reason is gone. */
function errorOfRow(error: unknown): RowAnswer {
  if (error instanceof ApiRefusal && (ofOneRow.has(error.status) || ofOneJob.has(error.code))) {
    return { text: error.message, isError: true };
  }
  throw error;
}

const ofOneRow: ReadonlySet<number> = new Set([400, 413, 500]);
/** Requirements that the key may not have are those of each row, so that none is answered, and the run ends. */
const ofOneJob: ReadonlySet<string> = new Set([
  "job_expired",
  "job_canceled",
  "result_expired",
  "requirements_not_allowed",
]);

function costOf(priceMicro: bigint, first: number, rows: number): string {
  const cost = `The first ${formatCount(first)} rows have cost ${formatCredits(priceMicro)}.`;
  const others = rows - first;
  if (others === 0) return cost;
  const expected = (priceMicro * BigInt(others)) / BigInt(first);
  return `${cost} The other ${formatCount(others)} would cost about ${formatCredits(expected)}.`;
}

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AnswerFile as BatchFile,
  type Batch,
  type BatchAnswer,
  Batches,
  batchObject,
  hasEnded,
  uploadFile,
} from "@gleaner/client/http";
import { batchLimits } from "../../../app/batches/limits.ts";
import { formatCount, plural } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { CommandError } from "../../command/command.ts";
import type { Progress } from "../../command/output.ts";
import { doneBy, lastForecast, WaitNotes } from "../batch-words.ts";
import { type Api, ApiRefusal } from "../client/api.ts";
import { parseRequires, requiresHeader } from "../client/requires.ts";
import { textOf } from "../client/wire.ts";
import type { AnswerFile, RowAnswer } from "./answer-file.ts";
import { Patience } from "./patience.ts";
import { linesOfPart, rowOfName } from "./plan.ts";
import type { RunRecord } from "./run-state.ts";

/** With each open batch a round has more calls, and a key may make 600 a minute. */
const roundMs = (open: number): number => Math.min(15, 1 + open) * 1_000;

/** Submits the batches of a run, and writes their answers as they come, until all have ended. */
export class RunBatches {
  readonly #api: Api;
  readonly #record: RunRecord;
  readonly #answers: AnswerFile;
  readonly #progress: Progress;
  readonly #patience: Patience;
  readonly #waits: WaitNotes;
  readonly #latest: (Batch | null)[];
  readonly #readers: readonly { readonly output: BatchFile; readonly error: BatchFile }[];
  readonly #startedAt = Date.now();
  #answeredAtStart: number | null = null;

  constructor(api: Api, record: RunRecord, answers: AnswerFile, progress: Progress) {
    this.#api = api;
    this.#record = record;
    this.#answers = answers;
    this.#progress = progress;
    this.#patience = new Patience(progress);
    this.#waits = new WaitNotes(progress);
    this.#latest = record.state.parts.map(() => null);
    this.#readers = record.state.parts.map(() => ({
      output: new BatchFile(api),
      error: new BatchFile(api),
    }));
  }

  /** Resolves when every row has an answer or an error. */
  async finish(): Promise<void> {
    let open = this.#record.state.parts.map((_, index) => index);
    for (;;) {
      const still: number[] = [];
      for (const index of open) {
        const isOver = await this.#patience.repeat(() => this.#advance(index));
        await this.#answers.flush();
        if (!isOver) still.push(index);
      }
      this.#show();
      if (still.length === 0) return;
      open = still;
      await sleep(roundMs(open.length));
    }
  }

  /** The cost of all batches so far, in micro-credits. */
  get priceMicro(): bigint {
    return this.#latest.reduce((sum, batch) => sum + BigInt(batch?.price_micro ?? "0"), 0n);
  }

  /** Does for a part what is possible now. Returns whether all of its rows have an end. */
  async #advance(index: number): Promise<boolean> {
    const batchId = await this.#submitted(index);
    if (batchId === null) return false;
    const before = this.#latest[index]?.request_counts;
    const batch = await new Batches(this.#api).get(batchId);
    if (batch.status === "failed") {
      const why = batch.errors?.data[0]?.message ?? "its lines were refused";
      throw new CommandError(`${batchId} did not start: ${why}`);
    }
    this.#waits.note(batch);
    const { completed, failed } = batch.request_counts;
    if (hasEnded(batch) || completed !== before?.completed || failed !== before.failed)
      await this.#read(index, batch);
    // Only now, so that a failed read is repeated.
    this.#latest[index] = batch;
    if (!hasEnded(batch)) return false;
    this.#endRest(index, batch);
    return true;
  }

  /** The id of a part's batch. Null: the key has too many batches now. A repeated call submits nothing twice. */
  async #submitted(index: number): Promise<string | null> {
    const { id, settings, parts } = this.#record.state;
    const part = parts[index];
    if (part === undefined) throw new Error(`part ${String(index)} is not of this run`);
    if (part.batchId !== null) return part.batchId;
    const rows = `rows ${formatCount(part.from + 1)} to ${formatCount(part.to)}`;
    let { fileId } = part;
    if (fileId === null) {
      this.#progress.at(`Uploading ${rows}`);
      const name = `${basename(settings.input).slice(0, batchLimits.fileNameChars - 20)}-${String(index + 1)}.jsonl`;
      const content = { bytes: part.bytes, chunks: linesOfPart(settings, part) };
      fileId = await uploadFile(this.#api, name, content, (piece, of) => {
        this.#progress.at(`Uploading ${rows}: part ${String(piece)} of ${String(of)}`);
      });
      await this.#record.savePart(index, { fileId });
    }
    const asked = {
      input_file_id: fileId,
      endpoint: "/v1/chat/completions",
      completion_window: settings.within,
    };
    const headers = {
      "idempotency-key": `${id}-batch-${String(index + 1)}`,
      ...requiresHeader(parseRequires(settings.requires)),
    };
    const batch = await this.#api.post("/batches", asked, batchObject, headers).catch((error: unknown) => {
      if (error instanceof ApiRefusal && error.code === "queue_full") return null;
      throw error;
    });
    if (batch === null) return null;
    await this.#record.savePart(index, { batchId: batch.id });
    this.#progress.done(`Submitted ${rows} as ${batch.id}.`);
    return batch.id;
  }

  async #read(index: number, batch: Batch): Promise<void> {
    const readers = this.#readers[index];
    for (const [fileId, reader] of [
      [batch.output_file_id, readers?.output],
      [batch.error_file_id, readers?.error],
    ] as const) {
      if (fileId === null || reader === undefined) continue;
      for await (const answer of reader.newAnswers(fileId))
        this.#answers.add(rowOfName(answer.id), rowAnswer(answer));
    }
  }

  /** A batch that was canceled before its start has no lines. */
  #endRest(index: number, { status }: Batch): void {
    const { from = 0, to = 0 } = this.#record.state.parts[index] ?? {};
    for (let row = from; row < to; row++) {
      if (!this.#answers.has(row)) this.#answers.add(row, { text: `The batch is ${status}.`, isError: true });
    }
  }

  #show(): void {
    const { settings, rows, firstPriceMicro } = this.#record.state;
    const first = Math.min(settings.first, rows);
    const counts = this.#latest.flatMap((batch) => (batch === null ? [] : [batch.request_counts]));
    const failed = counts.reduce((sum, each) => sum + each.failed, 0);
    const ended = counts.reduce((sum, each) => sum + each.completed, 0) + failed + first;
    this.#answeredAtStart ??= ended;
    const errors = failed === 0 ? "" : `, ${plural(failed, ["# error", "# errors"])}`;
    const cost = formatCredits(this.priceMicro + BigInt(firstPriceMicro));
    const newly = ended - this.#answeredAtStart;
    const leftMs = newly === 0 ? null : ((Date.now() - this.#startedAt) / newly) * (rows - ended);
    const forecast = lastForecast(this.#latest);
    const paced = leftMs === null || leftMs === 0 ? "" : `about ${formatDuration(leftMs)} left; `;
    const end = forecast === null ? paced : `${doneBy(forecast)}; `;
    // The end comes first: a narrow terminal cuts the words off.
    this.#progress.bar(
      ended,
      rows,
      `${end}${formatCount(ended)} of ${formatCount(rows)} rows${errors}, ${cost}`,
    );
  }
}

function rowAnswer({ body, error }: BatchAnswer): RowAnswer {
  return error === null ? { text: textOf(body), isError: false } : { text: error.message, isError: true };
}

import { type Batch, type BatchEstimate, type BatchForecast, hasEnded } from "@gleaner/client/http";
import { endChanceOf, promised } from "../../app/forecast/end-chance.ts";
import { formatCount, formatShare, plural } from "../../app/format/quantity.ts";
import { formatCredits } from "../../app/money/credits.ts";
import type { Progress } from "../command/output.ts";
import { waitWords } from "./client/ask.ts";
import { momentOf, postponedWords } from "./pages.ts";

function countsOf({
  request_counts: { total, completed, failed },
  price_micro: price,
  expected_price_micro: expected = null,
}: Batch): string {
  const errors = failed === 0 ? "" : `, ${plural(failed, ["# error", "# errors"])}`;
  const cost = `${formatCredits(price)}${expected === null ? "" : ` of about ${formatCredits(expected)}`}`;
  return `${formatCount(completed)} of ${formatCount(total)} answered${errors}, ${cost}`;
}

/** For a progress bar. The end comes first: a narrow terminal cuts the words off. */
export function progressOf(found: Batch): string {
  const { forecast = null } = found;
  const wait = batchWaitWords(found);
  const waits = wait === null ? "" : `waits: ${wait}; `;
  return `${forecast === null ? "" : `${doneBy(forecast)}; `}${waits}${countsOf(found)}`;
}

/** Why no device works on a running batch, as a clause. Null: one does. */
function batchWaitWords({ waits_for: waitsFor = null }: Batch): string | null {
  return waitsFor === null ? null : waitWords(waitsFor);
}

/** Tells why batches wait, but not each time that a device comes or goes. */
export class WaitNotes {
  readonly #progress: Progress;
  readonly #told = new Set<string>();

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  note(found: Batch): void {
    const wait = batchWaitWords(found);
    // Batches are there for the time when devices are not busy.
    if (wait === null || found.waits_for === "busy") return;
    const words = `${found.id} waits: ${wait}.`;
    if (this.#told.has(words)) return;
    this.#told.add(words);
    this.#progress.done(words);
  }
}

export function rowOf(each: Batch): string[] {
  const wait = batchWaitWords(each);
  return [each.id, momentOf(each.created_at), each.status, countsOf(each), wait ?? ""];
}

export function sayBatch(found: Batch): string {
  const { id, status, endpoint, created_at: at, expires_at: until, errors } = found;
  const end = hasEnded(found)
    ? []
    : [
        status === "in_progress" ? expectedEndWords(found.forecast ?? null) : "",
        `It has time until ${momentOf(until)}.`,
      ];
  const { requirements = null } = found;
  const wait = batchWaitWords(found);
  return [
    [`${id}: ${status}. ${endpoint}, made ${momentOf(at)}.`, ...end]
      .filter((words) => words !== "")
      .join(" "),
    ...(requirements === null ? [] : [`It requires ${requirements}.`]),
    ...(wait === null ? [] : [`It waits: ${wait}.`]),
    `${countsOf(found)}.`,
    ...wrongWords(found),
    ...mistakeWords(errors),
  ].join("\n");
}

function wrongWords({ endpoint, found_wrong: wrong = null }: Batch): readonly string[] {
  if (wrong === null) return [];
  return [
    `Checks found ${plural(wrong.count, ["# answer", "# answers"])} wrong:`,
    ...wrong.lines.map((line) => {
      const { custom_id: id, index = null, corrected_by: correctedBy, not_corrected: why, postponed } = line;
      const name = index === null ? id : `${id}, ${partWords(endpoint, index)}`;
      if (correctedBy !== null) return `  ${name}: gleaner jobs result ${correctedBy}`;
      return `  ${name}: ${why ?? postponedWords(postponed) ?? "it will be answered again."}`;
    }),
  ];
}

/** The part of an answer that one of several jobs made. Counts from 0, as `index` in the answer does. */
function partWords(endpoint: string, index: number): string {
  return endpoint === "/v1/embeddings" ? `vectors from ${String(index)} on` : `choice ${String(index)}`;
}

export function sayEstimate({ requests, forecast, errors, ...price }: BatchEstimate): string {
  const { total, is_exact: isExact, refused } = requests;
  const count = `${isExact ? "" : "About "}${plural(total, ["# request", "# requests"])}`;
  const wrong =
    refused === null || refused === 0 ? "" : `, of which ${formatCount(refused)} would get an error`;
  const [likely, most] = [price.expected_price_micro, price.most_price_micro].map(formatCredits);
  return [
    `${count}${wrong}.`,
    `They would probably cost ${String(likely)}, at most ${String(most)}.`,
    expectedEndWords(forecast),
    ...mistakeWords(errors),
  ].join("\n");
}

/** The mistakes that keep a batch from starting. A line 0 stands for the file as a whole. */
export function mistakeWords(errors: Batch["errors"]): readonly string[] {
  return (errors?.data ?? []).map(({ line = 0, message }) =>
    line === null || line === 0 ? message : `Line ${String(line)}: ${message}`,
  );
}

/** Sentences about the end of a batch. Empty if nothing is known. */
function forecastWords(forecast: BatchForecast | null): string {
  if (forecast === null) return "";
  const { expected_at: expected, latest_at: latest, on_time: onTime } = forecast;
  const end =
    expected === null
      ? "It will probably take more than a week."
      : latest === null
        ? `Expected to end ${momentOf(expected)}, but it may take more than a week.`
        : `Done by ${momentOf(latest)}, ${formatShare(promised)}; expected ${momentOf(expected)}.`;
  return `${end}${chanceWords(onTime)}`;
}

function chanceWords(onTime: number): string {
  const share = formatShare(onTime);
  switch (endChanceOf(onTime)) {
    case "promised":
      return "";
    case "unsure":
      return ` The chance that it ends in time is ${share}.`;
    case "unlikely":
      return ` It will probably not end in time: the chance is ${share}.`;
  }
}

/** The same, also if nothing is known. */
export function expectedEndWords(forecast: BatchForecast | null): string {
  return forecastWords(forecast) || "No end is known: the model has hardly answered anything yet.";
}

/** The end of a batch in a few words, for a progress bar. */
export function doneBy({ expected_at: expected, latest_at: latest, on_time: onTime }: BatchForecast): string {
  const end =
    latest !== null
      ? `done by ${momentOf(latest)}, ${formatShare(promised)}`
      : expected === null
        ? "in more than a week"
        : `expected ${momentOf(expected)}`;
  return endChanceOf(onTime) === "unlikely" ? `${end}, probably too late` : end;
}

/** The forecast of several batches together: that of the last one to end. Null: not every open one has a forecast. */
export function lastForecast(batches: readonly (Batch | null)[]): BatchForecast | null {
  const open = batches.filter((batch) => batch === null || !hasEnded(batch));
  const forecasts = open.flatMap((batch) => batch?.forecast ?? []);
  if (forecasts.length < open.length || forecasts.length === 0) return null;
  const latestOf = (moments: readonly (number | null)[]): number | null => {
    const last = Math.max(...moments.map((at) => at ?? Infinity));
    return Number.isFinite(last) ? last : null;
  };
  return {
    expected_at: latestOf(forecasts.map(({ expected_at: at }) => at)),
    latest_at: latestOf(forecasts.map(({ latest_at: at }) => at)),
    on_time: Math.min(...forecasts.map(({ on_time: share }) => share)),
  };
}

import { type Batch, type BatchEstimate, type BatchForecast, hasEnded } from "@gleaner/client/http";
import { formatCount, formatShare, plural } from "../../app/format/quantity.ts";
import { formatCredits } from "../../app/money/credits.ts";
import { momentOf, postponedWords } from "./pages.ts";

export function countsOf({
  request_counts: { total, completed, failed },
  price_micro: price,
  expected_price_micro: expected = null,
}: Batch): string {
  const errors = failed === 0 ? "" : `, ${plural(failed, ["# error", "# errors"])}`;
  const cost = `${formatCredits(price)}${expected === null ? "" : ` of about ${formatCredits(expected)}`}`;
  return `${formatCount(completed)} of ${formatCount(total)} answered${errors}, ${cost}`;
}

export function rowOf(each: Batch): string[] {
  return [each.id, momentOf(each.created_at), each.status, countsOf(each)];
}

export function sayBatch(found: Batch): string {
  const { id, status, endpoint, created_at: at, expires_at: until, errors } = found;
  const end = hasEnded(found)
    ? ""
    : ` ${forecastWords(found.forecast ?? null)}It has time until ${momentOf(until)}.`;
  return [
    `${id}: ${status}. ${endpoint}, made ${momentOf(at)}.${end}`,
    `${countsOf(found)}.`,
    ...wrongWords(found),
    ...(errors?.data.map(({ line, message }) => `Line ${String(line ?? "?")}: ${message}`) ?? []),
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
    forecastWords(forecast).trim() ||
      "When they would end is not known: the model has hardly answered anything yet.",
    ...(errors?.data.map(({ line, message }) => `Line ${String(line ?? "?")}: ${message}`) ?? []),
  ].join("\n");
}

/** A sentence and a blank; empty if nothing is known. */
function forecastWords(forecast: BatchForecast | null): string {
  if (forecast === null) return "";
  const { expected_at: expected, latest_at: latest, on_time: onTime } = forecast;
  const chance = onTime >= 0.95 ? "" : ` The chance that it ends in time is ${formatShare(onTime)}.`;
  if (expected === null) return `It will probably take more than a week.${chance} `;
  const bound = latest === null ? "" : `; 19 of 20 such batches have ended by ${momentOf(latest)}`;
  return `It is expected to end ${momentOf(expected)}${bound}.${chance} `;
}

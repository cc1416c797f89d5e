import type { Batch } from "@gleaner/client/http";
import { expect, it } from "vitest";
import { lastForecast, progressOf, rowOf, sayBatch, sayEstimate } from "./batch-words.ts";
import { momentOf } from "./pages.ts";

const ended: Batch = {
  id: "batch_b",
  status: "completed",
  endpoint: "/v1/chat/completions",
  created_at: 1_795_000_000,
  expires_at: 1_795_086_400,
  output_file_id: "f",
  error_file_id: null,
  request_counts: { total: 3, completed: 3, failed: 0 },
  price_micro: "3000000",
  errors: null,
};

it("names the lines whose answers checks found wrong, and the jobs that answer them again", () => {
  const said = sayBatch({
    ...ended,
    found_wrong: {
      count: 4,
      lines: [
        { custom_id: "q1", job: "j1", corrected_by: "j4", not_corrected: null },
        { custom_id: "q2", job: "j2", corrected_by: null, not_corrected: "Its request was deleted." },
        { custom_id: "q3", job: "j3", corrected_by: null, not_corrected: null },
        {
          custom_id: "q5",
          job: "j5",
          corrected_by: null,
          not_corrected: null,
          postponed: { why: "The budget is used up.", next_at: 1_795_000_000 },
        },
      ],
    },
  });
  expect(said.split("\n").slice(2)).toEqual([
    "Checks found 4 answers wrong:",
    "  q1: gleaner jobs result j4",
    "  q2: Its request was deleted.",
    "  q3: it will be answered again.",
    `  q5: The budget is used up. Next try: ${momentOf(1_795_000_000)}.`,
  ]);
});

it.each([
  ["/v1/chat/completions" as const, "  q1, choice 0: gleaner jobs result j4"],
  ["/v1/embeddings" as const, "  q1, vectors from 0 on: gleaner jobs result j4"],
])("says which part of an answer of several jobs is wrong: %s", (endpoint, said) => {
  const line = { custom_id: "q1", job: "j1", index: 0, corrected_by: "j4", not_corrected: null };
  expect(sayBatch({ ...ended, endpoint, found_wrong: { count: 1, lines: [line] } })).toContain(said);
});

it.each([null, undefined])(
  "says nothing of checks that found nothing wrong, nor of servers without them: %s",
  (none) => {
    expect(sayBatch({ ...ended, ...(none === undefined ? {} : { found_wrong: none }) })).not.toContain(
      "Checks",
    );
  },
);

const hour = 3_600;
const now = Math.round(Date.now() / 1_000);
const forecast = { expected_at: now + hour, latest_at: now + 2 * hour, on_time: 1 };
const running: Batch = { ...ended, status: "in_progress", expires_at: now + 24 * hour, forecast };
/** A moment of any day. */
const moment = String.raw`[^.;]*\d\d:\d\d`;

it.each([
  [{}, new RegExp(`Done by ${moment}, 95%; expected ${moment}\\. It has time until ${moment}\\.`)],
  [{ on_time: 0.8 }, /The chance that it ends in time is 80%\. It has/],
  [{ on_time: 0.2 }, /It will probably not end in time: the chance is 20%\. It has/],
  [{ latest_at: null }, /but it may take more than a week\. It has/],
  [{ expected_at: null, latest_at: null, on_time: 0 }, /more than a week\. It will probably not end in time/],
])("says when a running batch will be done: %j", (over, words) => {
  expect(sayBatch({ ...running, forecast: { ...forecast, ...over } })).toMatch(words);
});

it("says that the end of a running batch is not known, but nothing about that of another", () => {
  expect(sayBatch({ ...running, forecast: null })).toContain("No end is known");
  for (const status of ["validating", "cancelling"] as const)
    expect(sayBatch({ ...running, status, forecast: null })).not.toContain("No end is known");
});

it.each([
  [forecast, new RegExp(`^done by ${moment}, 95%; 3 of 3 answered`)],
  [
    { ...forecast, latest_at: null, on_time: 0.2 },
    new RegExp(`^expected ${moment}, probably too late; 3 of 3`),
  ],
  [null, /^3 of 3 answered/],
])("begins the words behind a progress bar with the end: %j", (told, words) => {
  expect(progressOf({ ...running, forecast: told })).toMatch(words);
});

it("forecasts several batches by the last one, once each open one has a forecast", () => {
  const later = { expected_at: now + hour / 2, latest_at: now + 5 * hour, on_time: 0.7 };
  const both = lastForecast([running, { ...running, forecast: later }, { ...ended, forecast: null }]);
  expect(both).toEqual({ expected_at: now + hour, latest_at: now + 5 * hour, on_time: 0.7 });
  const endless = { ...later, latest_at: null };
  expect(lastForecast([running, { ...running, forecast: endless }])?.latest_at).toBeNull();
  expect(lastForecast([running, { ...running, forecast: null }])).toBeNull();
  expect(lastForecast([running, null])).toBeNull();
  expect(lastForecast([ended])).toBeNull();
});

it("names what a batch requires of devices", () => {
  expect(sayBatch({ ...running, requirements: "data-class=secret" })).toContain(
    "It requires data-class=secret.",
  );
  expect(sayBatch(running)).not.toContain("requires");
});

it("says why no device works on a running batch", () => {
  const waiting = { ...running, waits_for: "no_match" };
  const words = "no device that donates meets its requirements";
  expect(sayBatch(waiting)).toContain(`It waits: ${words}.`);
  expect(progressOf({ ...waiting, forecast: null })).toMatch(new RegExp(`^waits: ${words}; 3 of 3`));
  expect(rowOf(waiting).at(-1)).toBe(words);
  for (const each of [running, { ...running, waits_for: null }])
    expect(sayBatch(each)).not.toContain("waits");
});

it("names no line where a mistake is of the whole file", () => {
  const errors = {
    data: [
      { line: 0, message: "Too late." },
      { line: 2, message: "No JSON." },
    ],
  };
  const said = sayEstimate({
    requests: { total: 3, is_exact: true, refused: 0 },
    expected_price_micro: "1000000",
    most_price_micro: "2000000",
    forecast: null,
    errors,
  });
  expect(said.split("\n").slice(-3)).toEqual([
    "No end is known: the model has hardly answered anything yet.",
    "Too late.",
    "Line 2: No JSON.",
  ]);
});

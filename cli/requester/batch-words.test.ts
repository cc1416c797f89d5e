import type { Batch } from "@gleaner/client/http";
import { expect, it } from "vitest";
import { sayBatch } from "./batch-words.ts";
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

import { expect, test } from "vitest";
import { encodeTimestamp } from "../../wire/timestamps.ts";
import type { KnownResult } from "../protocol/known-result.ts";
import type { TransitionMessage } from "../protocol/server-messages.ts";
import { transitionJson } from "../protocol/transition-chunks.ts";
import { nextTransition, type TransitionInput } from "./transition.ts";

const result = (value: number): KnownResult => ({
  outcome: { kind: "success", value },
  logLines: [],
  journal: null,
});
const at = (ts: bigint, querySet = 1, identity = 0) => ({ ts, querySet, identity });
const quiet = (results: TransitionInput["results"]): TransitionInput => ({
  from: at(10n),
  known: results,
  to: at(20n),
  removed: [],
  results,
  mutationWaits: false,
});

/** As a client parses it. */
const sent = (message: TransitionMessage | null): unknown =>
  message === null ? null : JSON.parse(transitionJson(message));

test("there is no transition when only time has passed", () => {
  expect(nextTransition(quiet(new Map([[1, result(1)]])))).toBeNull();
});

test("an equal result of another run is not sent again", () => {
  const known = new Map([[1, result(1)]]);
  const again = { ...result(1), logLines: ["[LOG] 'again'"] };
  expect(nextTransition({ ...quiet(known), results: new Map([[1, again]]) })).toBeNull();
  const elsewhere = { ...result(1), journal: "another end" };
  expect(nextTransition({ ...quiet(known), results: new Map([[1, elsewhere]]) })).not.toBeNull();
});

test("a transition covers a waiting mutation even when no query changed", () => {
  const message = nextTransition({ ...quiet(new Map([[1, result(1)]])), mutationWaits: true });
  expect(message).toMatchObject({ modifications: [], endVersion: { ts: encodeTimestamp(20n) } });
});

test("a transition acknowledges a query set or an identity without changes", () => {
  const input = quiet(new Map());
  expect(nextTransition({ ...input, to: at(20n, 2) })).toMatchObject({ endVersion: { querySet: 2 } });
  expect(nextTransition({ ...input, to: at(20n, 1, 1) })).toMatchObject({ endVersion: { identity: 1 } });
});

test("a transition has new results and removed queries, but no known results", () => {
  const kept = result(1);
  const message = nextTransition({
    ...quiet(new Map()),
    known: new Map([
      [1, kept],
      [2, result(2)],
      [3, result(3)],
    ]),
    // The client never received the sixth.
    removed: [3, 6],
    results: new Map([
      [1, kept],
      [2, result(22)],
      [4, result(4)],
    ]),
  });
  expect(sent(message)).toMatchObject({
    modifications: [
      { type: "QueryRemoved", queryId: 3 },
      { type: "QueryUpdated", queryId: 2, value: 22, logLines: [], journal: null },
      { type: "QueryUpdated", queryId: 4, value: 4, logLines: [], journal: null },
    ],
  });
});

test("a failed query includes error data only if there is some", () => {
  const failed = (data?: number): KnownResult => ({
    outcome: { kind: "failure", message: "no", ...(data === undefined ? {} : { data }) },
    logLines: ["l"],
    journal: "j",
  });
  const message = nextTransition({
    ...quiet(new Map()),
    known: new Map(),
    results: new Map([
      [1, failed()],
      [2, failed(7)],
    ]),
  });
  expect(sent(message)).toMatchObject({
    modifications: [
      { type: "QueryFailed", queryId: 1, errorMessage: "no", logLines: ["l"], journal: "j" },
      { type: "QueryFailed", queryId: 2, errorMessage: "no", errorData: 7, logLines: ["l"], journal: "j" },
    ],
  });
});

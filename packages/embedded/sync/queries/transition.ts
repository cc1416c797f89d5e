import type { KnownResult } from "../protocol/known-result.ts";
import {
  encodeVersion,
  type QueryId,
  type StateModification,
  type StateVersion,
  type TransitionMessage,
} from "../protocol/server-messages.ts";

export type KnownResults = ReadonlyMap<QueryId, KnownResult>;

/** What may be new to the client. */
export type QuerySetChanges = {
  /** No longer in the set. */
  readonly removed: readonly QueryId[];
  readonly results: KnownResults;
};

export type TransitionInput = QuerySetChanges & {
  /** Where the client is, and what it holds. */
  readonly from: StateVersion;
  readonly held: KnownResults;
  /** Where it shall be: what is not among the changes is at `to.ts` as it was. */
  readonly to: StateVersion;
  /** A mutation waits to see its timestamp covered: say so even if no query changed. */
  readonly mutationWaits: boolean;
};

/** The next transition, or null when it would tell the client nothing. */
export function nextTransition(input: TransitionInput): TransitionMessage | null {
  const { from, to } = input;
  const modifications = [...removals(input), ...updates(input)];
  const versionsMoved = from.querySet !== to.querySet || from.identity !== to.identity;
  if (modifications.length === 0 && !versionsMoved && !input.mutationWaits) return null;
  return {
    type: "Transition",
    startVersion: encodeVersion(from),
    endVersion: encodeVersion(to),
    modifications,
  };
}

function removals({ held, removed }: TransitionInput): StateModification[] {
  return removed.filter((queryId) => held.has(queryId)).map((queryId) => ({ type: "QueryRemoved", queryId }));
}

function updates({ held, results }: TransitionInput): StateModification[] {
  return [...results]
    .filter(([queryId, result]) => held.get(queryId) !== result)
    .map(([queryId, result]) => ({
      type: result.outcome.kind === "success" ? "QueryUpdated" : "QueryFailed",
      queryId,
      result,
    }));
}

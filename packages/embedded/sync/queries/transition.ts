import { hasSameOutcome, type KnownResult } from "../protocol/known-result.ts";
import {
  encodeVersion,
  type QueryId,
  type StateModification,
  type StateVersion,
  type TransitionMessage,
} from "../protocol/server-messages.ts";

export type KnownResults = ReadonlyMap<QueryId, KnownResult>;

/** Changes that may be new to the client. */
export type QuerySetChanges = {
  /** Removed from the set. */
  readonly removed: readonly QueryId[];
  readonly results: KnownResults;
};

export type TransitionInput = QuerySetChanges & {
  /** The client's present version, and the results it has. */
  readonly from: StateVersion;
  readonly known: KnownResults;
  /** The client's next version. Queries without a change keep their result. */
  readonly to: StateVersion;
  /** A mutation waits for its timestamp to be covered: send a transition even if no query changed. */
  readonly mutationWaits: boolean;
};

/** The next transition, or null when it would be empty. */
export function nextTransition(input: TransitionInput): TransitionMessage | null {
  const { from, to } = input;
  const modifications = removals(input).concat(updates(input));
  const versionsMoved = from.querySet !== to.querySet || from.identity !== to.identity;
  if (modifications.length === 0 && !versionsMoved && !input.mutationWaits) return null;
  return {
    type: "Transition",
    startVersion: encodeVersion(from),
    endVersion: encodeVersion(to),
    modifications,
  };
}

function removals({ known, removed }: TransitionInput): StateModification[] {
  return removed
    .filter((queryId) => known.has(queryId))
    .map((queryId) => ({ type: "QueryRemoved", queryId }));
}

function isSame(known: KnownResult | undefined, result: KnownResult): boolean {
  return known === result || (known !== undefined && hasSameOutcome(known, result));
}

function updates({ known, results }: TransitionInput): StateModification[] {
  return [...results]
    .filter(([queryId, result]) => !isSame(known.get(queryId), result))
    .map(([queryId, result]) => ({
      type: result.outcome.kind === "success" ? "QueryUpdated" : "QueryFailed",
      queryId,
      result,
    }));
}

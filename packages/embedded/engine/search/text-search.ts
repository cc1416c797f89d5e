import type { Value } from "convex/values";
import type { Key } from "../../values/keys/key.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import { termScorer, type TextStatistics } from "./bm25.ts";
import {
  descending,
  type DocumentRef,
  filterBounds,
  filterRef,
  type KeyBounds,
  longerTermBounds,
  readPosting,
  termBounds,
} from "./search-keys.ts";
import type { FoundKey, SearchSource, SearchSteps } from "./search-source.ts";

/** A search in a text index. */
export type TextQuery = {
  /** The last one also means all terms that begin with it. */
  readonly terms: readonly string[];
  /** All must hold. `at` is the field's place among the index's filter fields. */
  readonly filters: readonly { readonly at: number; readonly value: Value | undefined }[];
};

/** Convex's number of results that a search finds at most. */
export const mostTextMatches = 1_024;
/** Convex's number of terms and filters that it looks up. A prefix counts once for each term that begins with it. */
const mostTerms = 64;
/** A term that only begins with the last term of the search counts half. */
const prefixWeight = 0.5;
const postingsPerStep = 4_096;

/** Matches sort by their keys: the highest score first, and of equal scores the newest document. */
export type TextMatch = { readonly id: string; readonly score: number; readonly key: Key };

type Totals = Map<DocumentRef, { readonly id: string; score: number }>;

/** The keys on which the result depends. The document of a match is read in addition. */
export function textReads({ terms }: TextQuery): readonly KeyBounds[] {
  const last = terms.at(-1);
  return last === undefined ? [] : [...terms.map(termBounds), longerTermBounds(last)];
}

/** Finds the documents with the highest scores, best first, and among equal ones the newest first. */
export function* searchText(
  source: SearchSource,
  { terms, filters }: TextQuery,
): SearchSteps<readonly TextMatch[]> {
  const last = terms.at(-1);
  if (last === undefined) return [];
  const allowed = yield* refsWhere(source, filters);
  if (allowed?.size === 0) return [];
  const scores = new TermScores(allowed, yield* source.statistics());
  const exact = new Set(terms);
  let left = mostTerms - filters.length;
  for (const term of exact) left -= yield* scores.addAll(source.pages(termBounds(term)), 1, left);
  // Those that the search also has as whole terms have counted fully.
  const known = new Set([...exact].map((term) => termBounds(term).lower));
  yield* scores.addAll(source.pages(longerTermBounds(last)), prefixWeight, left, known);
  return bestOf(scores.totals);
}

/** Adds the scores of terms to those of the documents that have them. */
class TermScores {
  readonly totals: Totals = new Map();
  readonly #allowed: ReadonlySet<DocumentRef> | null;
  readonly #statistics: TextStatistics;

  constructor(allowed: ReadonlySet<DocumentRef> | null, statistics: TextStatistics) {
    this.#allowed = allowed;
    this.#statistics = statistics;
  }

  /** Adds at most `most` terms. Returns how many there were. */
  *addAll(
    pages: Iterable<readonly FoundKey[]>,
    weight: number,
    most: number,
    skipped: ReadonlySet<Key> = new Set(),
  ): SearchSteps<number> {
    let added = 0;
    let term: Key | null = null;
    let postings: Posted[] = [];
    for (const page of pages) {
      for (const { key, id } of page) {
        const posting = readPosting(key);
        if (skipped.has(posting.term)) continue;
        if (posting.term !== term) {
          // The weight of a term depends on the number of its documents.
          yield* this.#add(postings, weight);
          if (added === most) return added;
          added += 1;
          term = posting.term;
          postings = [];
        }
        postings.push({ ...posting, id });
      }
      yield;
    }
    yield* this.#add(postings, weight);
    return added;
  }

  *#add(postings: readonly Posted[], weight: number): SearchSteps<void> {
    const scoreOf = termScorer(this.#statistics, postings.length);
    let count = 0;
    for (const { ref, id, ...posting } of postings) {
      if (++count % postingsPerStep === 0) yield;
      if (this.#allowed?.has(ref) === false) continue;
      const score = weight * scoreOf(posting.count, posting.lengthCode);
      const total = this.totals.get(ref);
      if (total === undefined) this.totals.set(ref, { id, score });
      else total.score += score;
    }
  }
}

type Posted = ReturnType<typeof readPosting> & { readonly id: string };

/** The documents for which all filters hold. Null without filters. */
function* refsWhere(
  source: SearchSource,
  filters: TextQuery["filters"],
): SearchSteps<ReadonlySet<DocumentRef> | null> {
  let allowed: Set<DocumentRef> | null = null;
  for (const { at, value } of filters) {
    const found = new Set<DocumentRef>();
    for (const page of source.pages(filterBounds(at, value))) {
      for (const { key } of page) {
        const ref = filterRef(key);
        if (allowed === null || allowed.has(ref)) found.add(ref);
      }
      yield;
    }
    allowed = found;
  }
  return allowed;
}

function bestOf(totals: Totals): readonly TextMatch[] {
  // Convex's scores have single precision, so nearly equal ones are equal.
  const scores = Float32Array.from(totals.values(), ({ score }) => score).sort();
  const lowest = scores[Math.max(0, scores.length - mostTextMatches)] ?? 0;
  const candidates = [...totals]
    .map(([ref, { id, score }]) => ({ ref, id, score: Math.fround(score) }))
    .filter(({ score }) => score >= lowest)
    .sort((a, b) => b.score - a.score || (a.ref < b.ref ? 1 : -1));
  return candidates
    .slice(0, mostTextMatches)
    .map(({ ref, id, score }) => ({ id, score, key: encodeKey([-score]) + descending(ref) }));
}

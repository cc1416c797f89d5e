import type { Value } from "convex/values";
import {
  type DocumentRef,
  filterBounds,
  filterRef,
  readVector,
  vectorBounds,
  vectorBoundsOf,
} from "./search-keys.ts";
import type { FoundKey, SearchSource, SearchSteps } from "./search-source.ts";

/** A search in a vector index. */
export type VectorQuery = {
  readonly vector: Float32Array;
  readonly limit: number;
  /** At least one must hold. Empty: all documents. `at` is the field's place among the index's filter fields. */
  readonly filters: readonly { readonly at: number; readonly value: Value | undefined }[];
};

/** `score` is the cosine of the angle between the vectors: 1 for the same direction, -1 for the opposite one. */
export type VectorMatch = { readonly id: string; readonly score: number };

type Ranked = VectorMatch & { readonly ref: DocumentRef };

/** Documents that are read one by one before others may run. */
const documentsPerStep = 64;

/** Compares every vector, so the result is exact. Best first, and of equal scores the newest first. */
export function* searchVectors(
  source: SearchSource,
  { vector, limit, filters }: VectorQuery,
): SearchSteps<readonly VectorMatch[]> {
  const best = new BestMatches(vector, limit);
  if (filters.length === 0) {
    for (const page of source.pages(vectorBounds)) {
      best.addAll(page);
      yield;
    }
    return best.matches;
  }
  const refs = new Set<DocumentRef>();
  for (const { at, value } of filters) {
    for (const page of source.pages(filterBounds(at, value))) {
      for (const { key } of page) refs.add(filterRef(key));
      yield;
    }
  }
  let count = 0;
  // In the order of keys, neighbors are on one page of the file.
  for (const ref of [...refs].sort()) {
    for (const page of source.pages(vectorBoundsOf(ref))) best.addAll(page);
    if (++count % documentsPerStep === 0) yield;
  }
  return best.matches;
}

/** Keeps the vectors that are nearest to one. */
class BestMatches {
  readonly #vector: Float32Array;
  readonly #norm: number;
  readonly #limit: number;
  /** Best first. */
  readonly #ranked: Ranked[] = [];

  constructor(vector: Float32Array, limit: number) {
    this.#vector = vector;
    this.#norm = Math.sqrt(product(vector, vector));
    this.#limit = limit;
  }

  get matches(): readonly VectorMatch[] {
    return this.#ranked.map(({ id, score }) => ({ id, score }));
  }

  addAll(page: readonly FoundKey[]): void {
    for (const { key, id } of page) {
      const { ref, vector } = readVector(key);
      this.#add({ id, ref, score: this.#cosine(vector) });
    }
  }

  #add(added: Ranked): void {
    const worst = this.#ranked.at(-1);
    if (worst !== undefined && this.#ranked.length >= this.#limit && !isBefore(added, worst)) return;
    let at = this.#ranked.length;
    while (at > 0 && isBefore(added, this.#ranked[at - 1] as Ranked)) at -= 1;
    this.#ranked.splice(at, 0, added);
    if (this.#ranked.length > this.#limit) this.#ranked.pop();
  }

  /** Zero if one of the vectors has no direction. */
  #cosine(vector: Float32Array): number {
    const norms = this.#norm * Math.sqrt(product(vector, vector));
    return norms === 0 ? 0 : product(vector, this.#vector) / norms;
  }
}

function isBefore(a: Ranked, b: Ranked): boolean {
  return a.score > b.score || (a.score === b.score && a.ref > b.ref);
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

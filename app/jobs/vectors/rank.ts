/** A document's place in its list, and its relevance: from -1 to 1. */
export type Ranked = { readonly index: number; readonly score: number };

type Vector = readonly number[];

/** Ranks documents by the cosine between their vectors and the query's: the most relevant first, equal ones in their order. */
export function rankByCosine(query: Vector, documents: readonly Vector[]): readonly Ranked[] {
  const ranked = documents.map((vector, index) => ({ index, score: cosine(query, vector) }));
  return ranked.sort((a, b) => b.score - a.score);
}

/** 0 if one of the vectors has no direction. */
function cosine(a: Vector, b: Vector): number {
  const product = a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);
  const lengths = lengthOf(a) * lengthOf(b);
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, product / lengths));
}

/** `Math.hypot` takes its numbers as arguments, of which there are at most some 100,000. */
function lengthOf(vector: Vector): number {
  return Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0));
}

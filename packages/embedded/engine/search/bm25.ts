/** Of an index, as of a snapshot. */
export type TextStatistics = { readonly documents: number; readonly terms: number };

const k1 = 1.2;
const b = 0.75;
/** Up to here, a length is its own code. */
const exactLengths = 24;
/** Longer ones keep four binary digits. */
const keptDigits = 4;

/**
 * A document's length in terms as one byte, as Lucene and Tantivy write it: exact up to 40, then rounded down. So documents of
 * about the same length have the same score, and the newest comes first.
 */
export function lengthCode(length: number): number {
  if (length < exactLengths) return length;
  const rest = length - exactLengths;
  const shift = Math.max(0, 32 - Math.clz32(rest) - keptDigits);
  const mantissa = rest >>> shift;
  return exactLengths + (shift === 0 ? mantissa : (shift << (keptDigits - 1)) + mantissa);
}

/** The length that a code means. */
export function codedLength(code: number): number {
  if (code < exactLengths) return code;
  const rest = code - exactLengths;
  const half = 1 << (keptDigits - 1);
  const shift = Math.max(0, (rest >>> (keptDigits - 1)) - 1);
  return exactLengths + (shift === 0 ? rest : ((rest % half) + half) * 2 ** shift);
}

/**
 * Returns the score of a term in a document by its number of occurrences and the code of its length.
 * @param frequency the number of documents with the term
 */
export function termScorer(
  { documents, terms }: TextStatistics,
  frequency: number,
): (count: number, code: number) => number {
  const rarity = Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
  const weight = rarity * (1 + k1);
  const average = terms / documents;
  return (count, code) => (weight * count) / (count + k1 * (1 - b + (b * codedLength(code)) / average));
}

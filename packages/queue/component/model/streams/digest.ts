/**
 * Identifies a text that grows, at a fixed size: whether a later text begins with it can be checked without its chunks. A
 * polynomial of the text's UTF-16 units at a secret point, so nobody who does not read this table can find a second text
 * with the same sum. Two texts have the same sum with a probability of length / 2^31. Blanks at the end are kept as they
 * are, because a worker may cut them off when it ends.
 */
export type Digest = {
  readonly factor: number;
  readonly sum: number;
  readonly chars: number;
  readonly blanks: string;
};

const modulus = 2 ** 31 - 1;
/** Blanks beyond this belong to the text. */
const mostBlanks = 200;

/** @param random in [0, 1). */
export function emptyDigest(random: number): Digest {
  return { factor: 2 + Math.floor(random * (modulus - 3)), sum: 0, chars: 0, blanks: "" };
}

export function extendDigest({ factor, sum, chars, blanks }: Digest, text: string): Digest {
  const grown = blanks + text;
  const solid = Math.max(grown.trimEnd().length, grown.length - mostBlanks);
  return {
    factor,
    sum: sumOf(grown.slice(0, solid), factor, sum),
    chars: chars + solid,
    blanks: grown.slice(solid),
  };
}

/** Whether `text` begins with the text of this digest, or lacks only blanks at its end. */
export function isContinuedBy({ factor, sum, chars, blanks }: Digest, text: string): boolean {
  if (text.length < chars || sumOf(text.slice(0, chars), factor, 0) !== sum) return false;
  const rest = text.slice(chars);
  return rest.startsWith(blanks) || blanks.startsWith(rest);
}

function sumOf(text: string, factor: number, before: number): number {
  let sum = before;
  // One is added, so that a text of zeros is not like an empty one.
  for (let at = 0; at < text.length; at += 1) sum = (times(sum, factor) + text.charCodeAt(at) + 1) % modulus;
  return sum;
}

/** The product modulo `modulus`, in steps that a double holds exactly. */
function times(a: number, b: number): number {
  const high = Math.floor(b / 65_536);
  return (((a * high) % modulus) * 65_536 + a * (b % 65_536)) % modulus;
}

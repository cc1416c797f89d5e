import { reserveParts, reserveVisits } from "./reserve.ts";

/** V8 takes less than a tenth of a second for its marks. */
const shortText = 8_192;
/** V8 takes about half a second for so many pairs of marks. */
const mostPairs = 2 ** 29;
const manyMarks = /\p{M}{32,}/gu;

/**
 * Call it before native code normalizes or compares a text: it puts the combining marks of each letter in order, in a time that
 * grows with the square of their number. Throws if the running function must end.
 */
export function reserveMarks(text: string): void {
  if (text.length <= shortText) return;
  reserveParts(text.length);
  let pairs = 0;
  manyMarks.lastIndex = 0;
  for (let found = manyMarks.exec(text); found !== null; found = manyMarks.exec(text)) {
    pairs += found[0].length ** 2;
    if (pairs > mostPairs) reserveVisits(Infinity);
  }
}

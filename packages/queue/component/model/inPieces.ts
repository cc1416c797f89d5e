/**
 * Does it for all of them, so many at once, in their order. Convex refuses a call that has more than a thousand reads
 * under way at once.
 */
export async function inPieces<T, R>(
  all: readonly T[],
  atOnce: number,
  act: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += atOnce) {
    results.push(...(await Promise.all(all.slice(from, from + atOnce).map(act))));
  }
  return results;
}

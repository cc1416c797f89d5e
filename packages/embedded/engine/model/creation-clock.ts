const doubleBits = new DataView(new ArrayBuffer(8));

/**
 * Hands out `_creationTime`s (ms). Within one millisecond each is the next representable number, so creation times
 * sort in insertion order, as in Convex.
 */
export class CreationClock {
  #last = 0;

  /** @param after the last time that the same transaction got. An overlapping one may have a later `now`. */
  next(now: number, after = 0): number {
    const newest = this.#last < now + 1 ? Math.max(this.#last, after) : after;
    const time = newest >= now ? nextUp(newest) : now;
    this.#last = Math.max(this.#last, time);
    return time;
  }
}

/** The next larger double; `value` must be positive. */
function nextUp(value: number): number {
  doubleBits.setFloat64(0, value);
  doubleBits.setBigUint64(0, doubleBits.getBigUint64(0) + 1n);
  return doubleBits.getFloat64(0);
}

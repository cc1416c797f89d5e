const doubleBits = new DataView(new ArrayBuffer(8));

/**
 * Hands out `_creationTime`s (ms): within one millisecond each is the next representable number, so that the
 * order of creation time is the order of insertion, as in Convex.
 */
export class CreationClock {
  #last = 0;

  next(now: number): number {
    const isSameMillisecond = this.#last >= now && this.#last < now + 1;
    this.#last = isSameMillisecond ? nextUp(this.#last) : now;
    return this.#last;
  }
}

/** The next larger double of a positive one. */
function nextUp(value: number): number {
  doubleBits.setFloat64(0, value);
  doubleBits.setBigUint64(0, doubleBits.getBigUint64(0) + 1n);
  return doubleBits.getFloat64(0);
}

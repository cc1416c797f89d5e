const doubleBits = new DataView(new ArrayBuffer(8));

/**
 * Hands out `_creationTime`s (ms). Within one millisecond each is the next representable number, so creation times
 * sort in insertion order, as in Convex.
 */
export class CreationClock {
  #last = 0;

  next(now: number): number {
    const isSameMillisecond = this.#last >= now && this.#last < now + 1;
    this.#last = isSameMillisecond ? nextUp(this.#last) : now;
    return this.#last;
  }
}

/** The next larger double; `value` must be positive. */
function nextUp(value: number): number {
  doubleBits.setFloat64(0, value);
  doubleBits.setBigUint64(0, doubleBits.getBigUint64(0) + 1n);
  return doubleBits.getFloat64(0);
}

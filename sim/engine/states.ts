/** A device's activity. Numbers, since there are a million devices. */
export const deviceState = {
  away: 0,
  /** It has a position on the ring and may be woken. */
  waiting: 1,
  /** A transaction of its own is in flight. */
  acting: 2,
  busy: 3,
  /** It vanished silently, and counts as present until its lease expires. */
  dead: 4,
  /** Its mutation lost every try. */
  resting: 5,
} as const;

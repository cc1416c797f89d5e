/** What a device is doing. Numbers, since there are a million of them. */
export const AWAY = 0;
/** Stands and may be woken. */
export const WAITING = 1;
/** A transaction of its own is in flight. */
export const ACTING = 2;
export const BUSY = 3;
/** Gone without a word: still believed to be there. */
export const DEAD = 4;
/** Its mutation lost every try. */
export const RESTING = 5;

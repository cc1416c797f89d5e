/** A desktop's events about input, independent of the protocol. */
export type IdleEvents = {
  /** No input has occurred for this long, in milliseconds. */
  readonly quiet: (forMs: number) => void;
  /** Input occurred after a quiet time. */
  readonly input: () => void;
  /** The connection to the desktop is lost, so the idle time is unknown. */
  readonly lost: () => void;
};

export type IdlePort = {
  readonly source: string;
  /**
   * Resolves to a function that stops the events, or to null if this desktop does not support the port. Never
   * rejects.
   */
  readonly open: (events: IdleEvents) => Promise<(() => void) | null>;
};

/** Input counts as a return only after this much quiet time, so that typing causes fewer events. */
export const quietMs = 2_000;

/** What a desktop says about input, whichever way it says it. */
export type IdleEvents = {
  /** Nobody has touched anything for this long, in milliseconds. */
  readonly quiet: (forMs: number) => void;
  /** Somebody did, after it was quiet. */
  readonly input: () => void;
  /** The desktop went away: nothing is known any more. */
  readonly lost: () => void;
};

export type IdlePort = {
  readonly source: string;
  /** Resolves to how to stop, or to null where this desktop cannot be asked that way. Never throws. */
  readonly open: (events: IdleEvents) => Promise<(() => void) | null>;
};

/** Input counts as a return when it was quiet for this long before: fewer events while somebody types. */
export const quietMs = 2_000;

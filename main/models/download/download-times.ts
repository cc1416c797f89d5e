/** In ms. */
export type DownloadTimes = {
  /**
   * The time to listen for devices in the office before using the internet. A random share of up to the same
   * again is added.
   */
  readonly settleMs: number;
  /** The interval between questions to devices in the office. */
  readonly pollMs: number;
  /** After this time without progress the office is hardly any help; after six times this, none. */
  readonly patienceMs: number;
};

export const defaultTimes: DownloadTimes = { settleMs: 2_000, pollMs: 2_000, patienceMs: 15_000 };

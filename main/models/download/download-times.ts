/** In ms. */
export type DownloadTimes = {
  /** How long it listens for devices in the office before it uses the internet; up to twice that, by chance. */
  readonly settleMs: number;
  /** How often devices in the office are asked what they have. */
  readonly pollMs: number;
  /** The office is of hardly any help after this, and of none after six times that. */
  readonly patienceMs: number;
};

export const defaultTimes: DownloadTimes = { settleMs: 2_000, pollMs: 2_000, patienceMs: 15_000 };

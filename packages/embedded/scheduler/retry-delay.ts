const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** How long a scheduled function waits whose run could not be committed, by how often that happened. */
export function retryDelayMs(failures: number): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}

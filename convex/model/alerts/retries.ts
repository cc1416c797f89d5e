/** Pauses between the tries of a mail. After the last one it is given up. */
export const retryMs = [10_000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000] as const;

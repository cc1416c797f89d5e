/** After how many minutes without use a session ends: the default, and the bounds of an organization's setting. */
export const idleMinutes = { usual: 12 * 60, least: 15, most: 7 * 24 * 60 } as const;

/** An open page says that it is used at this interval, which is shorter than the shortest idle time. */
export const useEveryMs = 4 * 60_000;

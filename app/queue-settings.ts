/**
 * The settings of the queue that an organization's admin may change. The operator's values are the highest ones that an
 * admin may set, because a longer queue costs the operator memory and disk. Only the operator changes the other settings.
 * Admins read and write them in units; the queue stores `unit` times as much.
 */
export const organizationSettings = {
  maxQueued: {
    words: "Queued requests of a lane",
    hint: "More are refused until some of them are done.",
    least: 10,
    unit: 1,
  },
  maxQueuedPerRequester: {
    words: "Queued requests of an API key",
    hint: "In all lanes together.",
    least: 1,
    unit: 1,
  },
  maxCallWaitMs: {
    words: "Longest wait of a call, in minutes",
    hint: "A call that would wait longer is refused. Twice as long at high priority, half as long at low.",
    least: 1,
    unit: 60_000,
  },
  maxWaitMs: {
    words: "Longest wait of other requests, in minutes",
    hint: "Of requests with an idempotency key, whose callers may come back.",
    least: 1,
    unit: 60_000,
  },
} as const;

export type OrganizationSetting = keyof typeof organizationSettings;

export const organizationSettingNames = Object.keys(organizationSettings) as OrganizationSetting[];

/** An organization's value of each setting. Null: the operator's value. */
export type OrganizationSettings = Readonly<Record<OrganizationSetting, number | null>>;

/**
 * The settings of the queue that an organization's admin may change. The operator's values are the highest ones that an
 * admin may set, because a longer queue costs the operator memory and disk. Only the operator changes the other settings.
 */
export const organizationSettings = {
  maxQueued: {
    words: "Queued requests of a lane",
    hint: "More are refused until some of them are done.",
    least: 10,
  },
  maxQueuedPerRequester: {
    words: "Queued requests of an API key",
    hint: "In all lanes together.",
    least: 1,
  },
} as const;

export type OrganizationSetting = keyof typeof organizationSettings;

export const organizationSettingNames = Object.keys(organizationSettings) as OrganizationSetting[];

/** An organization's value of each setting. Null: the operator's value. */
export type OrganizationSettings = Readonly<Record<OrganizationSetting, number | null>>;

import { formatCount } from "../../../app/format/quantity.ts";
import {
  type OrganizationSetting,
  organizationSettingNames,
  type OrganizationSettings,
  organizationSettings,
} from "../../../app/queue-settings.ts";
import type { QueueSettingViews } from "../data/rows.ts";

export type TypedSettings = Readonly<Record<OrganizationSetting, string>>;

/** The settings as text fields show them. The server's values are empty fields. */
export function typedSettings(settings: QueueSettingViews): TypedSettings {
  const typed = organizationSettingNames.map((name) => [name, String(settings[name].own ?? "")]);
  return Object.fromEntries(typed) as TypedSettings;
}

type ParsedSettings = {
  /** Null if a field is wrong. */
  readonly values: OrganizationSettings | null;
  readonly errors: Readonly<Partial<Record<OrganizationSetting, string>>>;
};

/** Parses the fields. An empty one is the server's value. One that did not change is never wrong. */
export function parseSettings(typed: TypedSettings, settings: QueueSettingViews): ParsedSettings {
  const values: Partial<Record<OrganizationSetting, number | null>> = {};
  const errors: Partial<Record<OrganizationSetting, string>> = {};
  for (const name of organizationSettingNames) {
    const { own, operators } = settings[name];
    const { least } = organizationSettings[name];
    const text = typed[name].trim();
    const value = Number(text);
    if (text === "") values[name] = null;
    else if (value === own || (/^\d+$/.test(text) && value >= least && value <= operators))
      values[name] = value;
    else errors[name] = `Must be a whole number from ${formatCount(least)} to ${formatCount(operators)}.`;
  }
  const isRight = Object.keys(errors).length === 0;
  return { values: isRight ? (values as OrganizationSettings) : null, errors };
}

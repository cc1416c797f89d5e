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
  const typed = organizationSettingNames.map((name) => [name, shown(name, settings[name].own)]);
  return Object.fromEntries(typed) as TypedSettings;
}

function shown(name: OrganizationSetting, own: number | null): string {
  return own === null ? "" : String(inUnits(name, own));
}

/** A stored value as admins read it. */
export function inUnits(name: OrganizationSetting, value: number): number {
  return Math.round((100 * value) / organizationSettings[name].unit) / 100;
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
    const { least, unit } = organizationSettings[name];
    const most = Math.floor(operators / unit);
    const text = typed[name].trim();
    const value = Number(text);
    if (text === "") values[name] = null;
    else if (text === shown(name, own)) values[name] = own;
    else if (/^\d+$/.test(text) && value >= least && value <= most) values[name] = value * unit;
    else errors[name] = `Must be a whole number from ${formatCount(least)} to ${formatCount(most)}.`;
  }
  const isRight = Object.keys(errors).length === 0;
  return { values: isRight ? (values as OrganizationSettings) : null, errors };
}

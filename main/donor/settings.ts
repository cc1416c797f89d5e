import { z } from "zod";
import { defaultRules, type Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";
import { loadJson, saveJson } from "../store/json-file.ts";

/** What the donor's person chose; survives restarts. */
export type Settings = {
  readonly pause: { readonly until: number | null } | null;
  readonly donateNowUntil: number | null;
  readonly rules: Rules;
};

const instant = z.number().int().min(0);

const settingsFile = z.object({
  version: z.literal(1),
  pause: z.object({ until: instant.nullable() }).nullable(),
  donateNowUntil: instant.nullable(),
  /** Only what differs from the defaults: those may become better with a later version. */
  rules: z
    .object({
      requireIdle: z.boolean(),
      idleAfterSeconds: z.number().int().min(10).max(86_400),
      allowOnBattery: z.boolean(),
      batteryFloorPercent: z.number().int().min(0).max(100),
      maxOtherCpuLoad: z.number().min(0.05).max(1),
      otherCpuLoadHysteresis: z.number().min(0).max(1),
    })
    .partial(),
});

export type SettingsStore = {
  readonly current: () => Settings;
  /** In memory at once; on disk when it resolves. */
  readonly change: (change: Partial<Settings>) => Promise<void>;
};

/**
 * A file that cannot be understood is set aside and the defaults hold.
 * `baseRules` are this start's defaults (a headless one may be unattended); they are never written.
 */
export async function openSettings(
  path: string,
  baseRules: Partial<Rules>,
  log: Log,
): Promise<SettingsStore> {
  const base: Rules = { ...defaultRules, ...baseRules };
  const loaded = await loadJson(path, settingsFile);
  if (loaded.kind === "corrupt") log("error", "settings.corrupt", { movedTo: loaded.movedTo });
  const file = loaded.kind === "loaded" ? loaded.value : null;
  let settings: Settings = {
    pause: file?.pause ?? null,
    donateNowUntil: file?.donateNowUntil ?? null,
    rules: { ...base, ...definedOf(file?.rules ?? {}) },
  };
  let writing: Promise<void> = Promise.resolve();
  return {
    current: () => settings,
    change: (change) => {
      settings = { ...settings, ...change };
      const saved = { version: 1, ...settings, rules: differences(settings.rules, base) };
      writing = writing.catch(() => undefined).then(() => saveJson(path, saved));
      return writing;
    },
  };
}

function differences(rules: Rules, base: Rules): Partial<Rules> {
  return Object.fromEntries(
    Object.entries(rules).filter(([name, value]) => base[name as keyof Rules] !== value),
  );
}

function definedOf(rules: { readonly [Name in keyof Rules]?: Rules[Name] | undefined }): Partial<Rules> {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}

import * as z from "zod";
import { instant } from "../../app/contract/donor-answers.ts";
import type { SomeRules } from "../../app/policy/rule-layers.ts";
import { readRules } from "../../app/policy/rule-schemas.ts";
import type { Log } from "../log.ts";
import { loadJson, saveJson } from "../store/json-file.ts";
import { SerialWrites } from "../store/serial-writes.ts";

/** The donor's choices. They survive restarts. Times are in ms since the epoch. */
export type Settings = {
  readonly pause: { readonly until: number | null } | null;
  readonly donateNowUntil: number | null;
  /** Finish the current job, take no other, then pause. */
  readonly finishThenPause: boolean;
  /** The donor's own rules. Contains only rules that the donor chose, so that new defaults apply to the others. */
  readonly rules: SomeRules;
};

const pausedForNow = { until: null };

/**
 * Each value is read on its own: an invalid one does not affect the others, and an invalid pause stays a pause.
 * Version 1 had six of the rules, with the same names and bounds, and no "finish, then pause".
 */
const settingsFile = z.object({
  version: z.literal([1, 2]),
  pause: z
    .object({ until: instant.nullable() })
    .nullable()
    .catch(() => pausedForNow),
  donateNowUntil: instant.nullable().catch(null),
  finishThenPause: z.boolean().catch(false),
  rules: z.record(z.string(), z.unknown()).catch(() => ({})),
});

const untouched: Settings = { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} };

export type SettingsStore = {
  readonly current: () => Settings;
  /** Changes the settings in memory at once. Resolves when they are on disk. */
  readonly change: (change: Partial<Settings>) => Promise<void>;
  /** Resolves when the last change is on disk. Later changes are not stored. */
  readonly close: () => Promise<void>;
};

/**
 * Moves an unreadable file aside and pauses the donor: its person may have chosen a pause or rules that are
 * lost.
 */
export async function openSettings(path: string, log: Log): Promise<SettingsStore> {
  const loaded = await loadJson<z.infer<typeof settingsFile>>(path, settingsFile, 2);
  let settings = loaded.kind === "loaded" ? settingsOf(loaded.value, log) : untouched;
  const writes = new SerialWrites();
  const change = (changed: Partial<Settings>): Promise<void> => {
    settings = { ...settings, ...changed };
    const saved = { version: 2, ...settings };
    return writes.run(() => saveJson(path, saved));
  };
  if (loaded.kind === "corrupt") {
    log("error", "settings.corrupt", { movedTo: loaded.movedTo });
    // Otherwise the next start would find no file and no pause.
    await change({ pause: pausedForNow });
  }
  return { current: () => settings, change, close: () => writes.close() };
}

function settingsOf(
  { pause, donateNowUntil, finishThenPause, rules }: z.infer<typeof settingsFile>,
  log: Log,
): Settings {
  const understood = readRules(rules);
  const leftOut = Object.keys(rules).filter((name) => !Object.hasOwn(understood, name)).length;
  if (leftOut > 0) log("warn", "settings.rules-left-out", { count: leftOut });
  return { pause, donateNowUntil, finishThenPause, rules: understood };
}

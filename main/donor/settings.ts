import { z } from "zod";
import { someRules } from "../../app/policy/rule-values.ts";
import type { SomeRules } from "../../app/policy/rule-layers.ts";
import type { Log } from "../log.ts";
import { loadJson, saveJson } from "../store/json-file.ts";

/** What the donor's person chose; survives restarts. Times are ms since the epoch. */
export type Settings = {
  readonly pause: { readonly until: number | null } | null;
  readonly donateNowUntil: number | null;
  /** Finish the job under way, take no other, and pause then. */
  readonly finishThenPause: boolean;
  /** The donor's own rules: only what they chose, so that better defaults reach them. */
  readonly rules: SomeRules;
};

const instant = z.number().int().min(0);

const choices = {
  pause: z.object({ until: instant.nullable() }).nullable(),
  donateNowUntil: instant.nullable(),
  // A rule that a later version knew is left out; the others hold.
  rules: z.object(someRules.shape),
};

/** Version 1 knew six of the rules, with the same names and bounds, and no "finish, then pause". */
const firstVersion = z
  .object({ version: z.literal(1), ...choices })
  .transform((file) => ({ ...file, version: 2 as const, finishThenPause: false }));

const settingsFile = z.union([
  z.object({ version: z.literal(2), finishThenPause: z.boolean(), ...choices }),
  firstVersion,
]);

const untouched: Settings = { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} };

export type SettingsStore = {
  readonly current: () => Settings;
  /** In memory at once; on disk when it resolves. */
  readonly change: (change: Partial<Settings>) => Promise<void>;
};

/** A file that cannot be understood is set aside, and nothing is chosen. */
export async function openSettings(path: string, log: Log): Promise<SettingsStore> {
  const loaded = await loadJson<z.infer<typeof settingsFile>>(path, settingsFile);
  if (loaded.kind === "corrupt") log("error", "settings.corrupt", { movedTo: loaded.movedTo });
  let settings: Settings = loaded.kind === "loaded" ? withoutVersion(loaded.value) : untouched;
  let writing: Promise<void> = Promise.resolve();
  return {
    current: () => settings,
    change: (change) => {
      settings = { ...settings, ...change };
      const saved = { version: 2, ...settings };
      writing = writing.catch(() => undefined).then(() => saveJson(path, saved));
      return writing;
    },
  };
}

function withoutVersion(file: z.infer<typeof settingsFile>): Settings {
  const { pause, donateNowUntil, finishThenPause, rules } = file;
  return { pause, donateNowUntil, finishThenPause, rules };
}

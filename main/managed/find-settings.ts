import { userInfo } from "node:os";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { isRecord, parseJson } from "../../app/json.ts";
import {
  linuxSettingsFile,
  type ManagedSettings,
  noManagedSettings,
  readManagedSettings,
} from "../../app/managed/managed-settings.ts";
import { withoutNone } from "../../app/managed/without-none.ts";
import type { Log } from "../log.ts";
import { runSubprocess } from "../sensors/base/subprocess.ts";
import { StartRefusal } from "../store/start-refusal.ts";
import { readManagedFile } from "./managed-file.ts";
import { existingPreferences, macFile, registryKey } from "./places.ts";
import { exportedKey } from "./registry.ts";
import { settingsInRegistry } from "./registry-values.ts";

export type FoundSettings = {
  readonly settings: ManagedSettings;
  /** Their file or registry key. Null if this computer has none. */
  readonly source: string | null;
  /** The settings that are unknown, or have a value out of bounds. */
  readonly ignored: readonly string[];
};

type Raw = { readonly source: string; readonly value: unknown };

/**
 * Finds the settings that the management of this computer gives, in a place that only administrators can write. Throws a
 * StartRefusal if they cannot be read: without them Gleaner might do what they forbid.
 */
export async function findManagedSettings(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundSettings> {
  const raw = (await ofSystem(platform)) ?? (await ofEnvironment(env));
  if (raw === null) return { settings: noManagedSettings, source: null, ignored: [] };
  return { ...settingsOf(raw), source: raw.source };
}

/** Reads settings as they were found. Throws a StartRefusal that names what is wrong. */
export function settingsOf({ source, value }: Raw): Pick<FoundSettings, "settings" | "ignored"> {
  const read = readManagedSettings(withoutNone(value));
  if (read.kind === "read") return read;
  throw new StartRefusal(startSentence("managed-wrong", source, read.problems.join(" ")));
}

/** Finds them, and logs where they are and which of them were not understood. */
export async function managedSettings(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
): Promise<ManagedSettings> {
  const { settings, source, ignored } = await findManagedSettings(platform, env);
  if (source !== null) log("info", "managed.found", { source });
  if (ignored.length > 0) log("warn", "managed.ignored", { settings: ignored.join(", ") });
  return settings;
}

async function ofSystem(platform: NodeJS.Platform): Promise<Raw | null> {
  switch (platform) {
    case "win32":
      return ofRegistry();
    case "darwin":
      return (await ofPreferences()) ?? ofFile(macFile);
    default:
      return ofFile(linuxSettingsFile);
  }
}

async function ofFile(path: string): Promise<Raw | null> {
  const value = await readManagedFile(path, { ofRoot: true });
  return value === null ? null : { source: path, value };
}

/** For containers and tests. It can only add settings, since the system's own go before it. */
async function ofEnvironment(env: Readonly<Record<string, string | undefined>>): Promise<Raw | null> {
  const path = env["GLEANER_MANAGED"];
  if (path === undefined || path === "") return null;
  const value = await readManagedFile(path, { ofRoot: false });
  if (value === null) throw new StartRefusal(startSentence("managed-missing", path));
  return { source: path, value };
}

async function ofRegistry(): Promise<Raw | null> {
  const text = await exportedKey();
  return text === null ? null : { source: registryKey, value: settingsInRegistry(text) };
}

/** A configuration profile becomes a property list, which its user cannot change. */
async function ofPreferences(): Promise<Raw | null> {
  const path = existingPreferences(userInfo().username);
  if (path === null) return null;
  const result = await runSubprocess("/usr/bin/plutil", ["-convert", "json", "-o", "-", path]);
  const value = result.kind === "ok" ? parseJson(result.stdout) : undefined;
  if (value === undefined) throw new StartRefusal(startSentence("managed-profile-unreadable", path));
  return { source: path, value: ownSettings(value) };
}

/** Without what the profile says about itself. */
function ownSettings(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith("Payload")));
}

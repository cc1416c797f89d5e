import { existsSync } from "node:fs";
import { preferencesDomain } from "../../app/managed/formats/profile.ts";

/** Where an administrator puts the settings. Users cannot write to any of these places. */
export const linuxFile = "/etc/gleaner/managed.json";
export const macFile = "/Library/Application Support/Gleaner/managed.json";
/** Where group policies of Windows put them. */
export const registryKey = "HKLM\\SOFTWARE\\Policies\\Gleaner";

/**
 * The property list that macOS makes of a configuration profile, or null if there is none. That of the computer goes before that
 * of a user, who may install one of their own.
 */
export function existingPreferences(
  user: string,
  exists: (path: string) => boolean = existsSync,
): string | null {
  const folder = "/Library/Managed Preferences";
  const file = `${preferencesDomain}.plist`;
  return [`${folder}/${file}`, `${folder}/${user}/${file}`].find(exists) ?? null;
}

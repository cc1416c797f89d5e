import { existsSync } from "node:fs";
import { preferencesDomain } from "../../app/managed/formats/profile.ts";
import { policyKey } from "../../app/managed/formats/registry-file.ts";

/** The file of the settings on a Mac without a profile. Only root can write it. */
export const macFile = "/Library/Application Support/Gleaner/managed.json";
/** Windows' group policies write the settings here. */
export const registryKey = `HKLM\\${policyKey}`;

/**
 * The path of the property list that macOS makes of a configuration profile. Null without a profile. The computer's goes before
 * the user's, since users may install a profile of their own.
 */
export function existingPreferences(
  user: string,
  exists: (path: string) => boolean = existsSync,
): string | null {
  const folder = "/Library/Managed Preferences";
  const file = `${preferencesDomain}.plist`;
  return [`${folder}/${file}`, `${folder}/${user}/${file}`].find(exists) ?? null;
}

import { readFile, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { replaceFile } from "../../store/replace-file.ts";

/** The variable that names the program's own file to a version on trial, which runs from another one. */
export function trialEnvironment(image: string): NodeJS.ProcessEnv {
  return { GLEANER_TRIAL: image };
}

const mark = (folder: string): string => join(folder, "update-proven");

/**
 * Whether this program is on trial. Then it takes the place of the program's own file in its environment, so that an entry for
 * the login names the file that stays.
 */
export function takeTrial(env: NodeJS.ProcessEnv): boolean {
  const { GLEANER_TRIAL: image } = env;
  delete env["GLEANER_TRIAL"];
  if (image === undefined || !isAbsolute(image)) return false;
  env["APPIMAGE"] = image;
  return true;
}

/** Written by the version on trial when it has reached the backend. The version before it waits for this. */
export async function markProven(folder: string, version: string): Promise<void> {
  await replaceFile(mark(folder), version);
}

export async function isProven(folder: string, version: string): Promise<boolean> {
  return (await readFile(mark(folder), "utf8").catch(() => "")) === version;
}

export async function clearMark(folder: string): Promise<void> {
  await rm(mark(folder), { force: true });
}

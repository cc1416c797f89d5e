import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { mayPrintSecrets } from "../../app/format/secrets.ts";
import { replaceFile } from "../../main/store/replace-file.ts";

/**
 * Shows secrets to the person at a terminal. Any other output may be a log that others read: it gets the path of a file,
 * which only its owner can read. Each secret has its own file.
 */
export type SecretOutput = {
  /** Null on a terminal; else the folder of the files. */
  readonly folder: string | null;
  /** A line to read: the secret, or the command that prints it. */
  readonly line: (name: string, secret: string) => Promise<string>;
  /** A word for a shell command inside double quotes: the secret, or a call that reads it. */
  readonly word: (name: string, secret: string) => Promise<string>;
};

/** @param dataFolder gets the folder `secrets`. Files of an earlier start are removed, unless that still runs. */
export async function openSecretOutput(
  dataFolder: string,
  isTerminal: boolean,
  env: NodeJS.ProcessEnv,
  runsStill = false,
): Promise<SecretOutput> {
  const folder = join(dataFolder, "secrets");
  if (!runsStill) await rm(folder, { recursive: true, force: true });
  const shown = (_name: string, secret: string): Promise<string> => Promise.resolve(secret);
  if (mayPrintSecrets(isTerminal, env)) return { folder: null, line: shown, word: shown };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const store = async (name: string, secret: string): Promise<string> => {
    const file = join(folder, name);
    await writeSecretFile(file, secret);
    return `cat ${quoted(file)}`;
  };
  return { folder, line: store, word: async (name, secret) => `$(${await store(name, secret)})` };
}

/** Writes a file that only its owner can read. */
export async function writeSecretFile(file: string, text: string): Promise<void> {
  await replaceFile(file, `${text}\n`);
}

/** A path as a shell reads it, also inside of `"$(…)"`. */
export function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

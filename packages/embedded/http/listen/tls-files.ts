import { readFileSync, type Stats, statSync, unwatchFile, watchFile } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { errorMessage } from "../../values/errors.ts";

export type TlsOptions = {
  /** A file with the certificate and its chain, in PEM. */
  readonly certFile: string;
  /** A file with the private key, in PEM. Only its owner may read it. */
  readonly keyFile: string;
};

/** The certificate or its key cannot be used. The message names the file and tells what to do. */
class TlsFilesError extends Error {
  override readonly name = "TlsFilesError";
}

export type TlsFiles = {
  readonly current: SecureContextOptions;
  readonly onChange: (listener: (next: SecureContextOptions) => void) => void;
  readonly close: () => void;
};

const othersMay = 0o077;
const checkEveryMs = 10_000;

/**
 * Reads a certificate and its key, and again whenever a file changes. Throws TlsFilesError. If changed files cannot be
 * used, reports that and keeps the previous ones.
 */
export function openTlsFiles(
  options: TlsOptions,
  onError: (error: unknown) => void,
  everyMs = checkEveryMs,
): TlsFiles {
  const listeners = new Set<(next: SecureContextOptions) => void>();
  const { certFile, keyFile } = options;
  let current = read(options);
  const reload = (now: Stats, before: Stats): void => {
    if (now.mtimeMs === before.mtimeMs && now.ino === before.ino) return;
    try {
      current = read(options);
      for (const listener of listeners) listener(current);
    } catch (error) {
      onError(error);
    }
  };
  for (const file of [certFile, keyFile]) {
    watchFile(file, { interval: everyMs, persistent: false }, reload);
  }
  return {
    get current() {
      return current;
    },
    onChange: (listener) => void listeners.add(listener),
    close: () => {
      for (const file of [certFile, keyFile]) unwatchFile(file, reload);
    },
  };
}

function read({ certFile, keyFile }: TlsOptions): SecureContextOptions {
  const key = readText(keyFile);
  // Windows has no modes: a file has the rights of its folder.
  if (process.platform !== "win32" && (statSync(keyFile).mode & othersMay) !== 0) {
    throw new TlsFilesError(
      `Other users may read the private key ${keyFile}. Allow only its owner: chmod 600 ${keyFile}`,
    );
  }
  const files = { cert: readText(certFile), key, minVersion: "TLSv1.2" } as const;
  try {
    createSecureContext(files);
  } catch (error) {
    throw new TlsFilesError(
      `The certificate ${certFile} and the key ${keyFile} cannot be used (${errorMessage(error)}). ` +
        "Both have to be PEM, the key without a password, and they have to belong together.",
    );
  }
  return files;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new TlsFilesError(`${file} cannot be read (${errorMessage(error)}).`);
  }
}

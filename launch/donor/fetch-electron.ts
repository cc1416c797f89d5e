import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { networkReason } from "../core/network-reason.ts";

/** The waits before the second and the third try, in ms. */
const waits = [1_000, 4_000];
/** A download that brings nothing for so long is given up. */
const mostSilentMs = 60_000;
/** Parts of the download between two lines of progress. */
const step = 0.1;

const packageSchema = z.object({ version: z.string() });
const checksumsSchema = z.record(z.string(), z.string());

export type FetchOptions = {
  /** The folder of the electron package. Its version is fetched, and unpacked into its folder `dist`. */
  readonly folder?: string;
  readonly waitsMs?: readonly number[];
};

/** The folder of the electron package. */
export function electronPackage(): string {
  return dirname(createRequire(import.meta.url).resolve("electron/package.json"));
}

/**
 * Fetches Electron with its package's own means: its mirrors, its cache, its checksums, its installer. Tries three times, and
 * tells its progress line by line.
 * @returns null if Electron is there now, else why not, as a clause.
 */
export async function fetchElectron(
  tell: (line: string) => void,
  { folder = electronPackage(), waitsMs = waits }: FetchOptions = {},
): Promise<string | null> {
  const { version } = packageSchema.parse(await readJson(join(folder, "package.json")));
  const checksums = checksumsSchema.parse(await readJson(join(folder, "checksums.json")));
  tell(`Fetching Electron ${version}, once …`);
  for (let tries = 0; ; tries += 1) {
    const failure = await downloaded(version, checksums, tell);
    if (failure === null) return await unpacked(folder);
    const waitMs = waitsMs[tries];
    if (failure.isFinal || waitMs === undefined) return failure.because;
    tell(`Electron: ${failure.because}. Trying again …`);
    await sleep(waitMs);
  }
}

type Failure = { readonly because: string; readonly isFinal: boolean };

/** Downloads the archive into Electron's cache, where its installer looks first. */
async function downloaded(
  version: string,
  checksums: Record<string, string>,
  tell: (line: string) => void,
): Promise<Failure | null> {
  const { downloadArtifact, HTTPError } = await import("@electron/get");
  // The installer looks for the file in the same cache.
  const cacheRoot = process.env["electron_config_cache"];
  const silent = new AbortController();
  const giveUp = (): void => silent.abort(new Error("the download stands still"));
  const timer = setTimeout(giveUp, mostSilentMs);
  let told = 0;
  try {
    await downloadArtifact({
      version,
      artifactName: "electron",
      platform: process.platform,
      arch: process.arch,
      checksums,
      ...(cacheRoot === undefined ? {} : { cacheRoot }),
      downloadOptions: {
        quiet: true,
        signal: silent.signal,
        getProgressCallback: ({ percent, total }: { percent: number; total: number | null }) => {
          timer.refresh();
          if (percent - told < step) return Promise.resolve();
          told = percent;
          tell(`Electron: ${progressWords(percent, total)}`);
          return Promise.resolve();
        },
      },
    });
    return null;
  } catch (error) {
    if (error instanceof HTTPError) {
      const { status, url } = error.response;
      return { because: `${new URL(url).host} answers ${String(status)}`, isFinal: status < 500 };
    }
    if (error instanceof Error && error.constructor.name === "ChecksumMismatchError") {
      return { because: "the file that came is not the one that was published", isFinal: true };
    }
    return { because: networkReason(error), isFinal: false };
  } finally {
    clearTimeout(timer);
  }
}

function progressWords(share: number, bytes: number | null): string {
  const percent = `${String(Math.round(share * 100))} %`;
  return bytes === null ? percent : `${percent} of ${String(Math.round(bytes / 1e6))} MB`;
}

/** Lets the package's installer check and unpack the downloaded file. */
async function unpacked(folder: string): Promise<string | null> {
  const installer = spawn(process.execPath, [join(folder, "install.js")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ELECTRON_GET_NO_PROGRESS: "1" },
  });
  let said = "";
  installer.stderr.setEncoding("utf8").on("data", (text: string) => void (said += text));
  const [code] = (await once(installer, "close")) as [number | null];
  return code === 0 ? null : `its installer failed: ${said.trim().split("\n")[0] ?? ""}`;
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, "utf8")) as unknown;
}

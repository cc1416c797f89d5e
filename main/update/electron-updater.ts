import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AppUpdater, ResolvedUpdateFileInfo, UpdateInfo } from "electron-updater";
import type { ProviderRuntimeOptions } from "electron-updater/out/providers/Provider";
import type { Release } from "../../app/signatures/release.ts";
import type { Log } from "../log.ts";

/** Fetches verified releases, and installs them on systems whose own installers do that. */
export type Installer = {
  /** Downloads the release's file and compares its hash. Returns its path. Rejects if either fails. */
  readonly download: (release: Release) => Promise<string>;
  /** Quits, installs the downloaded version and starts it. Only for Windows and macOS. */
  readonly quitAndInstall: () => void;
};

type InstallerOptions = {
  /** The folder of releases, with a slash at its end. */
  readonly server: string;
  readonly publisherName: readonly string[] | null;
  /** The data folder. */
  readonly folder: string;
  readonly log: Log;
};

/**
 * The installer of electron-updater. It is loaded only when there is a new version, because a tray program stays small. It gets
 * each release from us, verified, and never asks the server what to install.
 */
export async function electronInstaller(options: InstallerOptions): Promise<Installer> {
  const { server, publisherName, folder, log } = options;
  const { autoUpdater, Provider } = (await import("electron-updater")).default;
  const config = join(folder, "updater.json");
  // JSON is YAML, too. The setter is missing in the types.
  await writeFile(config, JSON.stringify({ updaterCacheDirName: "gleaner-updater", publisherName }));
  (autoUpdater as AppUpdater & { updateConfigPath: string }).updateConfigPath = config;
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = false;
  autoUpdater.disableDifferentialDownload = true;
  const say =
    (level: "debug" | "warn") =>
    (message?: unknown): void =>
      log(level, "update.electron-updater", { message: String(message).slice(0, 500) });
  autoUpdater.logger = { info: say("debug"), warn: say("warn"), error: say("warn"), debug: say("debug") };
  // Its promises reject, too.
  autoUpdater.on("error", () => undefined);

  return {
    download: async (release) => {
      /** Offers this release, and no other. */
      class VerifiedRelease extends Provider<UpdateInfo> {
        constructor(_options: unknown, _updater: unknown, runtime: ProviderRuntimeOptions) {
          super(runtime);
        }

        override setRequestHeaders(): void {
          // The server is told no id of this computer.
        }

        getLatestVersion(): Promise<UpdateInfo> {
          const { name, sha512, sizeBytes } = release.file;
          return Promise.resolve({
            version: release.version,
            files: [{ url: name, sha512, size: sizeBytes }],
            path: name,
            sha512,
            releaseDate: "",
          });
        }

        resolveFiles({ files }: UpdateInfo): ResolvedUpdateFileInfo[] {
          return files.map((info) => ({ url: new URL(info.url, server), info }));
        }
      }
      autoUpdater.setFeedURL({ provider: "custom", updateProvider: VerifiedRelease });
      const found = await autoUpdater.checkForUpdates();
      if (found === null || !found.isUpdateAvailable) throw new Error(`It does not take ${release.version}.`);
      const [file] = await autoUpdater.downloadUpdate();
      if (file === undefined) throw new Error(`It downloaded nothing of ${release.version}.`);
      return file;
    },
    quitAndInstall: () => autoUpdater.quitAndInstall(true, true),
  };
}

import { setTimeout as wait } from "node:timers/promises";
import { app, net } from "electron";
import { appScheme } from "../../app/join-link.ts";
import { isOlder } from "../../app/versions.ts";
import type { Donor } from "../donor/donor.ts";
import type { Log } from "../log.ts";
import { electronInstaller, type Installer } from "../update/electron-updater.ts";
import { installKind } from "../update/install-kind.ts";
import { guardTrial } from "../update/trial/guard.ts";
import { isReachable } from "../update/trial/is-reachable.ts";
import { dropNext, placeNext } from "../update/trial/next-file.ts";
import { startNext } from "../update/trial/next-process.ts";
import { clearMark, markProven } from "../update/trial/trial-mark.ts";
import { readUpdateConfig, type UpdateConfig } from "../update/update-config.ts";
import { UpdateStore } from "../update/update-state.ts";
import { showOff, Updates, type UpdatesDeps } from "../update/updates.ts";

/** The program's updates, for all memberships. */
export type SelfUpdate = {
  /** Looks for new versions until it is stopped. `onReplace`: the donor has to stop, and then `tryNext` has to be called. */
  readonly follow: (donor: Donor, onReplace: (how: Replacement) => void) => Pick<Updates, "restart" | "stop">;
  /** Starts the new version, and ends this program once that has reached the backend. Resolves if it was rolled back. */
  readonly tryNext: (how: Replacement) => Promise<void>;
  /** Gives the version that was rolled back here, or null. */
  readonly rolledBackVersion: () => string | null;
  /** A version on trial has reached the backend. */
  readonly prove: () => Promise<void>;
};

export type Replacement = {
  /** The downloaded version. Null for a trial that goes on. */
  readonly version: string | null;
  /** The new version opens no window. */
  readonly hidden: boolean;
};

type Options = {
  readonly folder: string;
  /** The program's own version. */
  readonly version: string;
  /** The package's file. */
  readonly config: string;
  readonly withParent: boolean;
  /** The version before this one waits for it to reach the backend. */
  readonly onTrial: boolean;
  /** The address of this computer's backend, or null. */
  readonly backend: () => Promise<string | null>;
  readonly log: Log;
};

/** Opens the program's updates. Before anything else, goes on with a trial that was cut off. */
export async function selfUpdate(options: Options): Promise<SelfUpdate> {
  const { folder, version, onTrial, log } = options;
  const store = await UpdateStore.open(folder);
  const install = await installKind({
    platform: process.platform,
    env: process.env,
    execPath: process.execPath,
    resources: process.resourcesPath,
    isPackaged: app.isPackaged,
    withParent: options.withParent,
  });
  const config = await readUpdateConfig(options.config);
  const adopted = onTrial ? untilAdopted(store) : Promise.resolve();
  let proven = !onTrial;
  const update: SelfUpdate = {
    follow: (donor, onReplace) =>
      follow({ install, version, config, store, adopted, folder, log }, donor, onReplace),
    tryNext: async (how) => {
      if (install.kind !== "appimage") return;
      await tryNext(install.file, store, options, how);
    },
    rolledBackVersion: () => store.current.rolledBack,
    prove: async () => {
      if (proven) return;
      proven = true;
      await markProven(folder, version);
      log("info", "update.proven", { version });
    },
  };
  const { trial } = store.current;
  if (install.kind !== "appimage" || trial === null || onTrial) return update;
  // Somebody may have installed a newer version by hand meanwhile.
  if (isOlder(version, trial.version)) {
    await update.tryNext({ version: null, hidden: process.argv.includes("--hidden") });
  } else {
    await dropNext(install.file);
    await store.change({ trial: null });
  }
  return update;
}

type Opened = {
  readonly install: Awaited<ReturnType<typeof installKind>>;
  readonly version: string;
  readonly config: UpdateConfig | null;
  readonly store: UpdateStore;
  /** This version is the program. Until then the version before it has the state and the file. */
  readonly adopted: Promise<void>;
  readonly folder: string;
  readonly log: Log;
};

async function untilAdopted(store: UpdateStore): Promise<void> {
  while (store.current.trial !== null) {
    await wait(1_000, undefined, { ref: false });
    await store.reload();
  }
}

function follow(
  { install, version, config, store, adopted, folder, log }: Opened,
  { snapshot, handlers }: Donor,
  onReplace: (how: Replacement) => void,
): Pick<Updates, "restart" | "stop"> {
  const why =
    install.kind === "off"
      ? install.why
      : config?.server == null
        ? "not-configured"
        : config.key === null
          ? "no-key"
          : null;
  const { server, key, lookEverySeconds, publisherName } = config ?? noConfig;
  if (why !== null || server === null || key === null) {
    showOff(snapshot, why ?? "not-configured");
    return {
      restart: () => ({ kind: "refused", message: "This program does not update itself." }),
      stop: () => undefined,
    };
  }
  let installer: Promise<Installer> | null = null;
  const updates = new Updates({
    source: { server, key, lookEverySeconds },
    target: target(),
    version,
    canRollBack: install.kind === "appimage",
    store,
    snapshot,
    refreshFacts: () => Promise.resolve(handlers.refreshFacts(null)),
    fetchFile: (url, how) => net.fetch(url, how),
    download: async (release) => {
      const { download } = await (installer ??= electronInstaller({ server, publisherName, folder, log }));
      const file = await download(release);
      if (install.kind === "appimage") await placeNext(file, install.file, release.file.sha512);
    },
    install: (version, byPerson) => {
      if (install.kind === "appimage") onReplace({ version, hidden: !byPerson });
      else void installer?.then(({ quitAndInstall }) => quitAndInstall());
    },
    log,
  });
  void adopted.then(() => updates.start());
  return updates;
}

const noConfig = { server: null, key: null, lookEverySeconds: 0, publisherName: null } as const;

function target(): UpdatesDeps["target"] {
  return {
    platform: process.platform as "linux" | "win32" | "darwin",
    arch: process.arch as "x64" | "arm64",
  };
}

async function tryNext(
  image: string,
  store: UpdateStore,
  { folder, backend, log }: Options,
  { version, hidden }: Replacement,
): Promise<void> {
  if (version !== null) {
    await clearMark(folder);
    await store.change({ trial: { version, failures: 0 } });
  }
  const url = await backend();
  const stopped = new AbortController();
  const onQuit = (event: { preventDefault(): void }): void => {
    event.preventDefault();
    stopped.abort();
  };
  app.on("before-quit", onQuit);
  app.releaseSingleInstanceLock();
  const end = await guardTrial({
    folder,
    image,
    store,
    start: () => startNext(image, nextArguments(process.argv.slice(1), hidden)),
    isReachable: () => (url === null ? Promise.resolve(false) : isReachable(url)),
    stopped: stopped.signal,
    log,
  });
  app.off("before-quit", onQuit);
  if (end === "rolled-back" && app.requestSingleInstanceLock()) return;
  app.exit(0);
  // The process ends in a moment, and nothing may start meanwhile.
  await new Promise(() => undefined);
}

/** The arguments of this start for the next version, without an invitation that was opened before. */
function nextArguments(args: readonly string[], hidden: boolean): readonly string[] {
  const kept = args.filter((each) => each !== "--hidden" && !each.startsWith(`${appScheme}:`));
  return hidden ? [...kept, "--hidden"] : kept;
}

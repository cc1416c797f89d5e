import { done, refusedFor, type Reply } from "../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import type { UpdateProblem, UpdatesOff, UpdatesView } from "../../app/contract/updates.ts";
import type { Release, ReleaseTarget, UpdateChannel } from "../../app/signatures/release.ts";
import { isOlder } from "../../app/versions.ts";
import type { SnapshotStore } from "../face/snapshot-store.ts";
import type { Log } from "../log.ts";
import { askedOf, disturbs, mayDownload, takesRelease } from "./decide.ts";
import { type FetchFile, lookForRelease } from "./look.ts";
import type { UpdateStore } from "./update-state.ts";

export type UpdatesDeps = {
  readonly source: { readonly server: string; readonly key: string; readonly lookEverySeconds: number };
  readonly target: Pick<ReleaseTarget, "platform" | "arch">;
  readonly version: string;
  /** Whether the former version comes back by itself. Otherwise nothing is installed without a click. */
  readonly canRollBack: boolean;
  readonly store: UpdateStore;
  readonly snapshot: SnapshotStore;
  /** Reads every fact again, also those that no rule needs. */
  readonly refreshFacts: () => Promise<unknown>;
  readonly fetchFile: FetchFile;
  /** Downloads and verifies the release's file, so that it can be installed. */
  readonly download: (release: Release) => Promise<void>;
  /** Gives the jobs back, and lets the downloaded version start. */
  readonly install: (version: string, byPerson: boolean) => void;
  readonly log: Log;
};

const firstLookMs = 60_000;
/** While a new version waits for a better network, for mains power, or for a moment that disturbs nobody. */
const waitingMs = 15_000;

/** Looks for new versions, downloads them, and has them installed while nobody is disturbed. */
export class Updates {
  readonly #deps: UpdatesDeps;
  #lookTimer: NodeJS.Timeout | undefined;
  #waitTimer: NodeJS.Timeout | undefined;
  #unfollow: () => void = () => undefined;
  #asked: string | null = null;
  #problem: UpdateProblem | null = null;
  #downloading: Release | null = null;
  /** Found, but not downloaded on this network or on battery. */
  #found: Release | null = null;
  #ready: Release | null = null;
  #isLooking = false;
  #isInstalling = false;
  #isStopped = false;

  constructor(deps: UpdatesDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#isStopped) return;
    const { snapshot, source } = this.#deps;
    this.#asked = askedOf(snapshot.get());
    this.#unfollow = snapshot.onDelta((delta) => this.#changed(delta));
    this.#show();
    this.#lookIn(Math.min(firstLookMs, source.lookEverySeconds * 1_000));
  }

  stop(): void {
    this.#isStopped = true;
    this.#unfollow();
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#waitTimer);
  }

  /** Installs the ready version now, because its person wants that. */
  restart(): Reply {
    if (this.#ready === null) return refusedFor("no-new-version");
    this.#install(this.#ready, true);
    return done;
  }

  #changed({ organization, rules, facts, work }: Partial<DonorSnapshot>): void {
    if (rules !== undefined) {
      if (!rules.autoUpdate) [this.#ready, this.#found] = [null, null];
      this.#show();
    }
    const asked = askedOf(this.#deps.snapshot.get());
    if (organization !== undefined && asked !== this.#asked) {
      this.#asked = asked;
      if (asked !== null && isOlder(this.#deps.version, asked)) this.#lookIn(0);
    }
    // The moment between two jobs is short.
    if (facts !== undefined || work !== undefined) void this.#tryInstall();
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#lookTimer);
    if (!this.#isStopped) this.#lookTimer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    const { source, snapshot, store, log } = this.#deps;
    // Not all computers of an office at the same moment.
    const spread = 0.9 + Math.random() * 0.2;
    this.#lookIn(source.lookEverySeconds * 1_000 * spread);
    if (this.#isLooking || !snapshot.get().rules.autoUpdate) return;
    this.#isLooking = true;
    try {
      const release = await this.#newest();
      if (release === "failed" || this.#isStopped) return;
      await store.change({ lookedAt: Date.now() });
      // A release that its makers have withdrawn is not installed.
      if (release?.version !== this.#ready?.version) this.#ready = null;
      this.#found = release;
      await this.#fetch();
    } catch (error) {
      log("warn", "update.look-failed", { error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#isLooking = false;
      this.#show();
    }
  }

  /** The newest release that this computer takes. The early channel contains the stable one. */
  async #newest(): Promise<Release | null | "failed"> {
    const { source, target, fetchFile, version, store, log } = this.#deps;
    const { seed, rolledBack } = store.current;
    const channels: readonly UpdateChannel[] = this.#channel() === "early" ? ["early", "stable"] : ["stable"];
    let newest: Release | null = null;
    this.#problem = null;
    for (const channel of channels) {
      const look = await lookForRelease(fetchFile, source, { ...target, channel });
      if (look.kind === "failed") {
        log("warn", `update.${look.problem}`, { detail: look.detail });
        this.#problem = look.problem;
        return "failed";
      }
      if (look.kind === "nothing") continue;
      const { release } = look;
      if (!takesRelease(release, { version, seed, rolledBack, asked: this.#asked })) continue;
      if (newest === null || isOlder(newest.version, release.version)) newest = release;
    }
    return newest;
  }

  /** Downloads what was found, unless it is here or has to wait. */
  async #fetch(): Promise<void> {
    const release = this.#found;
    if (release === null || this.#ready !== null || this.#downloading !== null) return;
    clearTimeout(this.#waitTimer);
    if (!mayDownload(this.#deps.snapshot.get())) {
      this.#waitTimer = setTimeout(() => void this.#fetch(), waitingMs);
      return;
    }
    this.#downloading = release;
    this.#show();
    try {
      await this.#deps.download(release);
      // The rule may have changed meanwhile.
      if (this.#deps.snapshot.get().rules.autoUpdate) this.#ready = release;
      this.#deps.log("info", "update.ready", { version: release.version });
    } catch (error) {
      this.#problem = "not-downloaded";
      this.#deps.log("warn", "update.not-downloaded", {
        version: release.version,
        error: error instanceof Error ? error.message : String(error),
      });
    } finally {
      this.#downloading = null;
      this.#show();
    }
    void this.#tryInstall();
  }

  async #tryInstall(): Promise<void> {
    const ready = this.#ready;
    const { canRollBack, snapshot, refreshFacts } = this.#deps;
    if (ready === null || !canRollBack || this.#isInstalling || this.#isStopped) return;
    clearTimeout(this.#waitTimer);
    this.#waitTimer = setTimeout(() => void this.#tryInstall(), waitingMs);
    if (disturbs(snapshot.get()) !== null) return;
    this.#isInstalling = true;
    // A presentation is unknown where no rule asks for it.
    try {
      await refreshFacts();
    } finally {
      this.#isInstalling = false;
    }
    if (this.#ready === ready && disturbs(snapshot.get()) === null) this.#install(ready, false);
  }

  #install({ version }: Release, byPerson: boolean): void {
    this.stop();
    this.#deps.log("info", "update.installing", { version });
    this.#deps.install(version, byPerson);
  }

  #channel(): UpdateChannel {
    return this.#deps.snapshot.get().rules.earlyUpdates ? "early" : "stable";
  }

  #show(): void {
    if (this.#isStopped) return;
    const { snapshot, store, canRollBack } = this.#deps;
    if (!snapshot.get().rules.autoUpdate) {
      showOff(snapshot, "rule");
      return;
    }
    const next =
      this.#ready !== null
        ? ({ version: this.#ready.version, state: "ready" } as const)
        : this.#downloading !== null
          ? ({ version: this.#downloading.version, state: "downloading" } as const)
          : null;
    const { lookedAt, rolledBack } = store.current;
    const view = { channel: this.#channel(), lookedAt, problem: this.#problem, next, rolledBack };
    snapshot.update({ updates: { kind: "on", ...view, byItself: canRollBack } });
  }
}

/** Shows why this program does not update itself. */
export function showOff(snapshot: SnapshotStore, why: UpdatesOff): void {
  const view: UpdatesView = { kind: "off", why };
  snapshot.update({ updates: view });
}

import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../../log.ts";
import type { UpdateStore } from "../update-state.ts";
import { adoptNext, dropNext } from "./next-file.ts";
import type { NextProcess } from "./next-process.ts";
import { clearMark, isProven } from "./trial-mark.ts";

type GuardDeps = {
  /** The program's data folder. */
  readonly folder: string;
  /** The program's own file. */
  readonly image: string;
  readonly store: UpdateStore;
  readonly start: () => NextProcess;
  /** Whether the backend answers. While it does not, the new version cannot prove itself. */
  readonly isReachable: () => Promise<boolean>;
  /** Ends the guard and the new version with it, for example at the end of the session. The trial goes on at the next start. */
  readonly stopped: AbortSignal;
  readonly log: Log;
  readonly tickMs?: number;
  readonly patienceMs?: number;
};

/** `replaced`: the new version runs, and is the program now. `ended`: its person or the system ended it before that. */
type TrialEnd = "replaced" | "rolled-back" | "ended";

/** A version gets a second start, since a first one can fail for other reasons. */
const mostFailures = 2;
const tickMs = 1_000;
/** The time to reach a backend that answers. */
const patienceMs = 5 * 60_000;

/**
 * Starts the new version from beside the program's file, and waits until it has reached the backend. Only then it becomes the
 * program, so the file that people and the login start is always one that worked here. If it ends with an error twice, or does
 * not reach a backend that answers, it is removed.
 */
export async function guardTrial(deps: GuardDeps): Promise<TrialEnd> {
  const { folder, image, store, log } = deps;
  for (;;) {
    const { trial } = store.current;
    if (trial === null) return "rolled-back";
    const { version } = trial;
    if (!(await isProven(folder, version))) {
      if (trial.failures >= mostFailures) return await rollBack(deps, version);
      log("info", "update.trial", { version, failures: trial.failures });
    }
    const outcome = await watch(deps, version);
    switch (outcome.kind) {
      case "proven":
        await adoptNext(image);
        await store.change({ trial: null, rolledBack: null });
        await clearMark(folder);
        log("info", "update.installed", { version });
        return "replaced";
      case "ended":
        return "ended";
      case "unreached":
        log("warn", "update.unreached", { version });
        return await rollBack(deps, version);
      case "failed":
        log("warn", "update.failed", { version, code: outcome.code ?? "none" });
        await store.change({ trial: { version, failures: trial.failures + 1 } });
    }
  }
}

type Watched =
  | { readonly kind: "proven" | "ended" | "unreached" }
  | { readonly kind: "failed"; readonly code: number | null };

/** Runs the new version until one of these is sure. */
async function watch(deps: GuardDeps, version: string): Promise<Watched> {
  const next = deps.start();
  const tick = deps.tickMs ?? tickMs;
  let reachableMs = 0;
  let exit: { readonly code: number | null } | null = null;
  const stopped = aborted(deps.stopped);
  void next.ended.then((code) => {
    exit = { code };
  });
  for (;;) {
    await Promise.race([next.ended, stopped, wait(tick)]);
    if (await isProven(deps.folder, version)) return { kind: "proven" };
    if (deps.stopped.aborted) {
      await next.stop();
      return { kind: "ended" };
    }
    const ended = exit as { readonly code: number | null } | null;
    if (ended !== null) return ended.code === 0 ? { kind: "ended" } : { kind: "failed", code: ended.code };
    if (await deps.isReachable()) reachableMs += tick;
    if (reachableMs < (deps.patienceMs ?? patienceMs)) continue;
    await next.stop();
    return { kind: "unreached" };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

async function rollBack({ folder, image, store, log }: GuardDeps, version: string): Promise<"rolled-back"> {
  await dropNext(image);
  await store.change({ trial: null, rolledBack: version });
  await clearMark(folder);
  log("warn", "update.rolled-back", { version });
  return "rolled-back";
}

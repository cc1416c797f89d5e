import type { ToRunner } from "../../../app/contract/runner.ts";

/** The runner's process as its supervisor sees it, whether Node or Electron started it. */
export type RunnerChild = {
  readonly pid: number | undefined;
  /** What it holds in memory now, in MB (2^20 bytes), where whoever started it is told that; null where not now. */
  readonly residentMb?: () => number | null;
  readonly send: (message: ToRunner) => void;
  /** Ends the process at once, whatever it is doing (SIGKILL). */
  readonly kill: () => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  /** Called once, also when the process could not be started at all. */
  readonly onExit: (listener: (exit: RunnerExit) => void) => void;
};

export type RunnerExit = { readonly code: number | null; readonly signal: string | null };

/** `env`: beside the environment of this program. */
export type SpawnRunner = (env?: Readonly<Record<string, string>>) => RunnerChild;

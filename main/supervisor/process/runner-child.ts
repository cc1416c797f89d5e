import type { ToRunner } from "../../../app/contract/runner.ts";

/** The runner's process as its supervisor sees it, whether Node or Electron started it. */
export type RunnerChild = {
  readonly pid: number | undefined;
  /** Its resident memory in MB (2^20 bytes), if the starting program knows it; null while unknown. */
  readonly residentMb?: () => number | null;
  readonly send: (message: ToRunner) => void;
  /** Ends the process at once, whatever it is doing (SIGKILL). */
  readonly kill: () => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  /** Calls back once, also if the process could not be started. */
  readonly onExit: (listener: (exit: RunnerExit) => void) => void;
};

export type RunnerExit = {
  readonly code: number | null;
  readonly signal: string | null;
  /** The place of the check in llama.cpp that ended the process, if one did. */
  readonly failedCheck?: string | null;
};

/** @param env variables to add to those that every runner gets (`runnerEnvironment`). */
export type SpawnRunner = (env?: Readonly<Record<string, string>>) => RunnerChild;

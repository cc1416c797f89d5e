import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, exitUnreachable } from "../../command/command.ts";
import type { Progress } from "../../command/output.ts";

const tryAgainMs = 5_000;

/** Repeats a call until the server answers, so that a run survives a restart of it. The call must allow a repeat. */
export async function patiently<Result>(progress: Progress, call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== exitUnreachable) throw error;
      if (attempt === 1) progress.done(`${error.message}\nTrying again until it answers. Ctrl-C stops.`);
      await sleep(tryAgainMs);
    }
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, exitUnreachable } from "../../command/command.ts";
import type { Progress } from "../../command/output.ts";

const tryAgainMs = 5_000;

/**
 * Repeats a call until the server answers, so that a run survives a restart of it. The call must allow a repeat. A long one calls
 * `answered` at each answer, so that the person hears of each outage once.
 */
export async function patiently<Result>(
  progress: Progress,
  call: (answered: () => void) => Promise<Result>,
): Promise<Result> {
  let isAway = false;
  const answered = (): void => {
    isAway = false;
  };
  for (;;) {
    try {
      return await call(answered);
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== exitUnreachable) throw error;
      if (!isAway) progress.done(`${error.message}\nTrying again until it answers. Ctrl-C stops.`);
      isAway = true;
      await sleep(tryAgainMs);
    }
  }
}

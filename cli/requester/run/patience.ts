import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, exitUnreachable } from "../../command/command.ts";
import type { Progress } from "../../command/output.ts";

const tryAgainMs = 5_000;

/** Repeats calls until the server answers, so that a command survives a restart of it. The person hears of each outage once. */
export class Patience {
  readonly #progress: Progress;
  #isAway = false;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** The call must allow a repeat. A long one calls `answered` at each answer. */
  async repeat<Result>(call: (answered: () => void) => Promise<Result>): Promise<Result> {
    const answered = (): void => {
      this.#isAway = false;
    };
    for (;;) {
      try {
        const result = await call(answered);
        answered();
        return result;
      } catch (error) {
        if (!(error instanceof CommandError) || error.exitCode !== exitUnreachable) throw error;
        if (!this.#isAway)
          this.#progress.done(`${error.message}\nTrying again until it answers. Ctrl-C stops.`);
        this.#isAway = true;
        await sleep(tryAgainMs);
      }
    }
  }
}

import type { Asking } from "./asking.ts";
import type { Calls } from "./calls.ts";
import { errorName, type Log } from "./log.ts";
import type { Standing } from "./standing.ts";
import { withRetries } from "./with-retries.ts";

export type LeavingParts = {
  readonly calls: Calls;
  readonly asking: Asking;
  readonly standing: Standing;
  readonly log: Log;
  readonly onLeft: () => void;
};

/** Gives jobs back, and says that no more is taken: in one call where both are due. */
export class Leaving {
  readonly #parts: LeavingParts;
  #underWay = false;

  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  get underWay(): boolean {
    return this.#underWay;
  }

  async release(
    attemptIds: readonly string[],
    reason: string,
    leave: boolean,
  ): Promise<{ readonly fenced: readonly string[] }> {
    if (leave) this.#getOutOfLine();
    return await withRetries(() => this.#parts.calls.say("release", { attemptIds, reason, leave }));
  }

  leave(): void {
    const { calls, log, onLeft } = this.#parts;
    this.#underWay = true;
    this.#getOutOfLine();
    withRetries(() => calls.say("leave", {}))
      .catch((error: unknown) => log("warn", "leave.refused", { error: errorName(error) }))
      .finally(() => {
        this.#underWay = false;
        onLeft();
      });
  }

  #getOutOfLine(): void {
    this.#parts.asking.left();
    this.#parts.standing.standAt(null);
  }
}

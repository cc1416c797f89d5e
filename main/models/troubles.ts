import type { WaitReason } from "../../app/models/wait-reasons.ts";

export type Trouble = {
  readonly why: WaitReason;
  readonly detail: string | null;
  /** Not to be tried before, of `performance.now()`; Infinity: not before something changes. */
  readonly until: number;
  readonly times: number;
};

const firstRetryMs = 5_000;
const longestRetryMs = 15 * 60_000;

/** What went wrong with each file, and when it is worth trying again. By SHA-256. */
export class Troubles {
  readonly #troubles = new Map<string, Trouble>();

  of(sha256: string): Trouble | null {
    return this.#troubles.get(sha256) ?? null;
  }

  /**
   * Later and later, and by chance, so that an office does not come back in one moment.
   * @param afterMs so long instead, the first time, and not before that later: what a server says makes nobody hurry for ever.
   */
  keep(sha256: string, why: WaitReason, detail: string | null, afterMs: number | null, now: number): void {
    const times = (this.#troubles.get(sha256)?.times ?? 0) + 1;
    const backoff = Math.min(longestRetryMs, firstRetryMs * 2 ** (times - 1)) * (0.75 + Math.random() / 2);
    const restMs = times === 1 ? (afterMs ?? backoff) : Math.max(afterMs ?? 0, backoff);
    this.#troubles.set(sha256, { why, detail, times, until: now + restMs });
  }

  forget(sha256: string): void {
    this.#troubles.delete(sha256);
  }

  /** Forgets those of files that are not among these. */
  keepOnly(sha256s: ReadonlySet<string>): void {
    for (const sha256 of this.#troubles.keys()) if (!sha256s.has(sha256)) this.#troubles.delete(sha256);
  }

  isResting(sha256: string, now: number): boolean {
    return (this.#troubles.get(sha256)?.until ?? 0) > now;
  }

  /** When the next rest is over; Infinity when none is. */
  nextAt(now: number): number {
    return Math.min(
      ...[...this.#troubles.values()].map(({ until }) => until).filter((at) => at > now),
      Infinity,
    );
  }
}

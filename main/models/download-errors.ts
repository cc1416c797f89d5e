import { doubling } from "@gleaner/queue/worker";
import type { WaitReason } from "../../app/models/wait-reasons.ts";

export type DownloadError = {
  readonly why: WaitReason;
  readonly detail: string | null;
  /** No retry before this time of `performance.now()`. Infinity means not before something changes. */
  readonly until: number;
  readonly times: number;
};

const pauseAfter = doubling(5_000, 15 * 60_000);

/** The last error of each file's download and the time of the next try, by SHA-256. */
export class DownloadErrors {
  readonly #errors = new Map<string, DownloadError>();

  of(sha256: string): DownloadError | null {
    return this.#errors.get(sha256) ?? null;
  }

  /**
   * Backs off with jitter, so that an office does not retry at the same moment.
   * @param afterMs the server's Retry-After. The first retry follows it; later retries treat it as a minimum.
   */
  keep(sha256: string, why: WaitReason, detail: string | null, afterMs: number | null, now: number): void {
    const times = (this.#errors.get(sha256)?.times ?? 0) + 1;
    const backoff = pauseAfter(times) * (0.75 + Math.random() / 2);
    const restMs = times === 1 ? (afterMs ?? backoff) : Math.max(afterMs ?? 0, backoff);
    this.#errors.set(sha256, { why, detail, times, until: now + restMs });
  }

  forget(sha256: string): void {
    this.#errors.delete(sha256);
  }

  /** Forgets the errors of all other files. */
  keepOnly(sha256s: ReadonlySet<string>): void {
    for (const sha256 of this.#errors.keys()) if (!sha256s.has(sha256)) this.#errors.delete(sha256);
  }

  isResting(sha256: string, now: number): boolean {
    return (this.#errors.get(sha256)?.until ?? 0) > now;
  }

  /** The earliest end of a pause. Infinity without a pause. */
  nextAt(now: number): number {
    return Math.min(
      ...[...this.#errors.values()].map(({ until }) => until).filter((at) => at > now),
      Infinity,
    );
  }
}

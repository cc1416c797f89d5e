/** Limits a stream of bytes to a rate. Pure: the caller provides the time and waits. */
export class TokenBucket {
  readonly #burstSeconds: number;
  #bytesPerSecond: number | null;
  #tokens: number;
  #at: number;

  /** @param bytesPerSecond null for no limit. */
  constructor(bytesPerSecond: number | null, now: number, burstSeconds = 0.25) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#burstSeconds = burstSeconds;
    this.#tokens = 0;
    this.#at = now;
  }

  setRate(bytesPerSecond: number | null, now: number): void {
    if (bytesPerSecond === this.#bytesPerSecond) return;
    this.#fill(now);
    this.#bytesPerSecond = bytesPerSecond;
    this.#tokens = 0;
  }

  /** Takes received bytes. Returns the ms to wait before receiving more. */
  take(bytes: number, now: number): number {
    if (this.#bytesPerSecond === null) return 0;
    this.#fill(now);
    this.#tokens -= bytes;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#bytesPerSecond) * 1_000);
  }

  #fill(now: number): void {
    if (this.#bytesPerSecond !== null) {
      const earned = (Math.max(0, now - this.#at) / 1_000) * this.#bytesPerSecond;
      this.#tokens = Math.min(this.#bytesPerSecond * this.#burstSeconds, this.#tokens + earned);
    }
    this.#at = now;
  }
}

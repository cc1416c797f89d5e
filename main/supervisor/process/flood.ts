/** What a runner may send: a sudden burst, and so much per second from then on. A busy runner sends a tenth. */
const limits = {
  messages: { burst: 20_000, perSecond: 2_000 },
  chars: { burst: 64 * 2 ** 20, perSecond: 12 * 2 ** 20 },
};

type Limit = { readonly burst: number; readonly perSecond: number };

/**
 * Counts a process's messages and their text, as a bucket that leaks. A count per period would not do: a slow computer
 * cannot read a flood fast enough to count it in one period, although it reads nothing else anymore.
 */
export class FloodMeter {
  #messages = 0;
  #chars = 0;
  #atMs: number | null = null;

  /**
   * Counts one message.
   *
   * @param chars the length of its text
   * @param nowMs the time in ms, of a clock that never goes back
   * @returns true if the process sends more than a runner ever does
   */
  count(chars: number, nowMs: number): boolean {
    const seconds = this.#atMs === null ? 0 : (nowMs - this.#atMs) / 1_000;
    this.#atMs = nowMs;
    this.#messages = leaked(this.#messages, limits.messages, seconds) + 1;
    this.#chars = leaked(this.#chars, limits.chars, seconds) + chars;
    return this.#messages > limits.messages.burst || this.#chars > limits.chars.burst;
  }
}

function leaked(level: number, { perSecond }: Limit, seconds: number): number {
  return Math.max(0, level - seconds * perSecond);
}

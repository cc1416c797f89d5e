import { readlinkSync } from "node:fs";

const lookEveryMs = 60_000;

/**
 * Follows changes of the system's time zone, such as on a laptop that travels. Node reads the zone only once, at its
 * start. A zone that was set only for this program (TZ) stays.
 *
 * Windows has no file for its zone, so a change takes effect at the next start.
 */
export class TimeZone {
  readonly #path: string;
  readonly #env: NodeJS.ProcessEnv;
  #zone: string | null;
  #lookedAt: number;
  readonly #isFixed: boolean;

  constructor(path = "/etc/localtime", env: NodeJS.ProcessEnv = process.env) {
    this.#path = path;
    this.#env = env;
    this.#isFixed = env["TZ"] !== undefined;
    this.#zone = zoneOf(path);
    this.#lookedAt = Date.now();
  }

  /** Checks at most once a minute. */
  follow(now: number): void {
    // `Math.abs`, because the clock may have been set back.
    if (this.#isFixed || Math.abs(now - this.#lookedAt) < lookEveryMs) return;
    this.#lookedAt = now;
    const zone = zoneOf(this.#path);
    if (zone === null || zone === this.#zone) return;
    this.#zone = zone;
    this.#env["TZ"] = zone;
  }
}

/** Returns "Europe/Zurich" for a link to /usr/share/zoneinfo/Europe/Zurich. Null for anything else. */
function zoneOf(path: string): string | null {
  try {
    return /zoneinfo\/(?:posix\/)?([A-Za-z0-9_+\-/]+)$/.exec(readlinkSync(path))?.[1] ?? null;
  } catch {
    return null;
  }
}

const minutesPerDay = 24 * 60;

/**
 * Minutes of local time since Monday 00:00, 0 to 10 079. Follows the wall clock: when clocks change, an hour of the
 * week is skipped or occurs twice.
 */
export function minuteOfWeek(date: Date): number {
  const daysSinceMonday = (date.getDay() + 6) % 7;
  return daysSinceMonday * minutesPerDay + date.getHours() * 60 + date.getMinutes();
}

import { readlinkSync } from "node:fs";

const lookEveryMs = 60_000;

/**
 * Keeps this program's clock in the system's time zone when that changes, as on a laptop that travels: Node looks at it
 * once, at its start. Where the zone was set for this program alone (TZ), it stays.
 *
 * Windows does not show its zone as a file: there a new one is seen at the next start.
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

  /** Looks at most once a minute. */
  follow(now: number): void {
    // A clock that was set back says nothing about how long ago that was.
    if (this.#isFixed || Math.abs(now - this.#lookedAt) < lookEveryMs) return;
    this.#lookedAt = now;
    const zone = zoneOf(this.#path);
    if (zone === null || zone === this.#zone) return;
    this.#zone = zone;
    this.#env["TZ"] = zone;
  }
}

/** "Europe/Zurich" out of a link to /usr/share/zoneinfo/Europe/Zurich; null where it is no such link. */
function zoneOf(path: string): string | null {
  try {
    return /zoneinfo\/(?:posix\/)?([A-Za-z0-9_+\-/]+)$/.exec(readlinkSync(path))?.[1] ?? null;
  } catch {
    return null;
  }
}

const minutesPerDay = 24 * 60;

/**
 * Minutes of local time since Monday 00:00: 0 to 10 079. By the calendar's clock, so that where it is put forward or
 * back, an hour of the week is left out or comes twice, as it does on the wall.
 */
export function minuteOfWeek(date: Date): number {
  const daysSinceMonday = (date.getDay() + 6) % 7;
  return daysSinceMonday * minutesPerDay + date.getHours() * 60 + date.getMinutes();
}

const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses "2h", "90m", "1h30m" or "1 d 12 h" to ms. Null for anything else, and for zero. */
export function parseDuration(text: string): number | null {
  const parts = [...text.trim().matchAll(/(\d{1,6})\s*(min|[smhdw])\s*/gy)];
  if (parts.map(([part]) => part).join("") !== text.trim()) return null;
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ""] ?? 0), 0);
  return ms > 0 ? ms : null;
}

/**
 * Parses a time in the future, to ms since the epoch: "17:30" (the next 17:30), "tomorrow 8:00", "2026-11-23 08:00",
 * or with a time zone, "2026-11-23T08:00Z". Null for anything else, and for the past. The default is the process's
 * time zone. When clocks are set back, an hour occurs twice, and the next one counts. When they are set forward, an
 * hour is skipped, and a time in it is moved an hour later.
 */
export function parseMomentAfter(text: string, now: number): number | null {
  const parsed = parse(text, now);
  if (parsed === null) return null;
  const all =
    parsed.kind === "clock" ? [0, 1, 2].flatMap((days) => onDay(now, days, parsed)) : parsed.moments;
  return all.find((moment) => moment > now) ?? null;
}

/** The same for a time in the past: "09:00" is the last 9:00. */
export function parseMomentBefore(text: string, now: number): number | null {
  const parsed = parse(text, now);
  if (parsed === null) return null;
  const all =
    parsed.kind === "clock" ? [-2, -1, 0].flatMap((days) => onDay(now, days, parsed)) : parsed.moments;
  return all.findLast((moment) => moment < now) ?? null;
}

type Clock = { readonly hour: number; readonly minute: number };
type Parsed =
  ({ readonly kind: "clock" } & Clock) | { readonly kind: "moments"; readonly moments: readonly number[] };

const clockPattern = /^(?:(today|tomorrow|yesterday)\s+)?(\d{1,2}):(\d{2})$/;
const datePattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2}))?$/;
const zonedPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/;
const days: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

function parse(text: string, now: number): Parsed | null {
  const trimmed = text.trim().toLowerCase();
  const clock = clockPattern.exec(trimmed);
  if (clock !== null) {
    const at = clockOf(clock[2], clock[3]);
    if (at === null) return null;
    const day = clock[1] === undefined ? undefined : days[clock[1]];
    return day === undefined ? { kind: "clock", ...at } : { kind: "moments", moments: onDay(now, day, at) };
  }
  const date = datePattern.exec(trimmed.toUpperCase());
  if (date !== null) {
    const at = clockOf(date[4] ?? "0", date[5] ?? "0");
    const [year, month, day] = [Number(date[1]), Number(date[2]) - 1, Number(date[3])];
    if (at === null || new Date(year, month, day, 12).getDate() !== day || month > 11) return null;
    return { kind: "moments", moments: momentsAt(year, month, day, at) };
  }
  if (!zonedPattern.test(trimmed.toUpperCase())) return null;
  const moment = Date.parse(trimmed.toUpperCase());
  return Number.isNaN(moment) ? null : { kind: "moments", moments: [moment] };
}

function clockOf(hours: string | undefined, minutes: string | undefined): Clock | null {
  const [hour, minute] = [Number(hours), Number(minutes)];
  return hour <= 23 && minute <= 59 ? { hour, minute } : null;
}

function onDay(now: number, daysAhead: number, clock: Clock): readonly number[] {
  const today = new Date(now);
  return momentsAt(today.getFullYear(), today.getMonth(), today.getDate() + daysAhead, clock);
}

/** All moments at which a local clock shows this time, in order: two if clocks are set back between them. */
function momentsAt(year: number, month: number, day: number, { hour, minute }: Clock): readonly number[] {
  const one = new Date(year, month, day, hour, minute).getTime();
  const shown = (moment: number): boolean => {
    const at = new Date(moment);
    return at.getHours() === hour && at.getMinutes() === minute;
  };
  // Clocks are set back by an hour, or by half an hour.
  const found = [-60, -30, 0, 30, 60].map((minutes) => one + minutes * 60_000).filter(shown);
  return found.length === 0 ? [one] : found;
}

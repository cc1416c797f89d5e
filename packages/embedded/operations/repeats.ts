import type { Log, LogFields, LogLevel } from "./log.ts";

/** Entries of one kind that are written within a period. Further ones are counted. */
const mostAlike = 10;
const periodMs = 60_000;
/** Kinds that are counted at a time. Functions and codes are few, so this is for bugs. */
const mostKinds = 1_000;

type Kind = { readonly level: LogLevel; readonly fields: LogFields; seen: number };

/**
 * Writes at most 10 entries of one kind a minute, and then how many more there were. A kind is an event, a function and a
 * code. So a caller without any key cannot fill a disk with refusals, or hide other entries among them. Errors and what
 * functions print are always written.
 */
export function summarizeRepeats(log: Log): Log {
  let kinds = new Map<string, Kind>();
  const end = (): void => {
    const ended = kinds;
    kinds = new Map();
    for (const { level, fields, seen } of ended.values()) {
      if (seen <= mostAlike) continue;
      log[level]("log.repeated", { ...fields, more: seen - mostAlike, seconds: periodMs / 1_000 });
    }
  };
  const bounded =
    (level: LogLevel): Log[LogLevel] =>
    (event, fields = {}) => {
      if (event === "function.printed") {
        log[level](event, fields);
        return;
      }
      const { function: name, code } = fields;
      const key = JSON.stringify([level, event, name, code]);
      const kind = kinds.get(key) ?? { level, fields: { of: event, function: name, code }, seen: 0 };
      kind.seen += 1;
      if (kinds.size === 0) setTimeout(end, periodMs).unref();
      if (kinds.size < mostKinds) kinds.set(key, kind);
      if (kind.seen <= mostAlike) log[level](event, fields);
    };
  return { ...log, info: bounded("info"), warn: bounded("warn") };
}

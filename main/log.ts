import type { Log, LogLevel } from "@gleaner/queue/worker";

export { errorName, type Log, type LogLevel, silentLog } from "@gleaner/queue/worker";

/** Writes one JSON object a line. `write` gets each line with its newline. */
export function jsonLinesLog(write: (line: string) => void, minimum: LogLevel = "info"): Log {
  return (level, event, fields = {}) => {
    if (levels.indexOf(level) < levels.indexOf(minimum)) return;
    write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

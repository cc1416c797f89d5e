import type { Log, LogLevel } from "@gleaner/queue/worker";
import { visibleJson } from "../app/format/visible.ts";

export { errorName, type Log, type LogLevel, silentLog } from "@gleaner/queue/worker";

/**
 * Writes one JSON object a line. `write` gets each line with its newline. Hidden characters are escaped: a name from
 * elsewhere cannot change how a terminal shows the log.
 */
export function jsonLinesLog(write: (line: string) => void, minimum: LogLevel = "info"): Log {
  return (level, event, fields = {}) => {
    if (levels.indexOf(level) < levels.indexOf(minimum)) return;
    write(`${visibleJson(JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }))}\n`);
  };
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

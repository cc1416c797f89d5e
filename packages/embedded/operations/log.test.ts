import { expect, test } from "vitest";
import { createLog, type LogFormat, type LogLevel } from "./log.ts";

function logging(format: LogFormat, level: LogLevel) {
  const lines: string[] = [];
  const now = () => Date.UTC(2026, 10, 21, 5, 6, 7, 89);
  return { lines, log: createLog({ format, level, write: (line) => lines.push(line), now }) };
}

test("a JSON entry is one line, whatever its content", () => {
  const { log, lines } = logging("json", "debug");
  log.warn("api.failed", { requestId: "1f", message: 'two\nlines, "quoted"', retries: 2, absent: undefined });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("\n");
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-11-21T05:06:07.089Z",
    level: "warn",
    event: "api.failed",
    requestId: "1f",
    message: 'two\nlines, "quoted"',
    retries: 2,
  });
});

test("a text entry is readable, and its message cannot look like another entry", () => {
  const { log, lines } = logging("text", "info");
  log.error("function.failed", {
    function: "jobs.js:claim",
    message: "Uncaught Error\n    at claim",
    durationMs: 1.25,
  });
  log.info("backend.started", { url: "http://x:1", note: "two words" });
  expect(lines).toEqual([
    "2026-11-21T05:06:07.089Z error function.failed: Uncaught Error\n        at claim function=jobs.js:claim durationMs=1.3",
    '2026-11-21T05:06:07.089Z info  backend.started url=http://x:1 note="two words"',
  ]);
});

test("entries below the level are dropped", () => {
  const { log, lines } = logging("json", "warn");
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(["c", "d"]);
});

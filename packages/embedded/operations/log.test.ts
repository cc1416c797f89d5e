import { expect, test } from "vitest";
import { createLog, describeError, type LogFormat, type LogLevel } from "./log.ts";

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

const hidden = "a\u001b[2Jb\u202ec\u2028d\u0085e\rf\u007f";

test.each(["text", "json"] as const)(
  "characters that deceive a reader are escaped in a %s entry",
  (format) => {
    const { log, lines } = logging(format, "info");
    log.info("x", { message: hidden, name: hidden });
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    expect(lines[0]).toContain("a\\u001b[2Jb\\u202ec\\u2028d\\u0085e");
    if (format === "json")
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({ message: hidden, name: hidden });
  },
);

test("an error is described with the causes behind it, and their codes", () => {
  const disk = Object.assign(new Error("write failed"), { code: "ENOSPC" });
  const failure = new Error("The commit failed", { cause: new Error("flush", { cause: disk }) });
  const text = describeError(failure);
  expect(text).toMatch(
    /^Error: The commit failed\n[^]+\nCaused by: Error: flush\n[^]+\nCaused by: Error: write failed\n[^]+\[code ENOSPC\]$/,
  );
  expect(describeError(new AggregateError([disk, "odd"], "stop"))).toMatch(
    /Caused by: Error: write[^]+Caused by: odd$/,
  );
});

test("an error whose stack has only frames is described with its message", () => {
  const failure = new TypeError("no luck");
  failure.stack = "    at f (../convex/a.ts:1:2)";
  expect(describeError(failure)).toBe("TypeError: no luck\n    at f (../convex/a.ts:1:2)");
  failure.stack = "";
  expect(describeError(failure)).toBe("TypeError: no luck");
});

test.each([
  ["a.ts", "TypeError: a.ts"],
  ["", "TypeError"],
])("an error with the message %j and a stack of frames keeps its name and message", (message, title) => {
  const failure = new TypeError(message);
  failure.stack = "    at f (../convex/a.ts:1:2)";
  expect(describeError(failure)).toBe(`${title}\n    at f (../convex/a.ts:1:2)`);
});

test("an error whose message was replaced after its stack was read is described with the new one", () => {
  const failure = new TypeError("first");
  void failure.stack;
  failure.message = "second";
  expect(describeError(failure)).toMatch(/^TypeError: second\nTypeError: first\n {4}at /);
});

test("a description quotes no refused value, and ends even if causes go in a circle", () => {
  const invalid = new Error(
    'ArgumentValidationError: Value does not match validator.\nPath: .rank\nValue: "hunter2"',
  );
  const outer: Error = new Error("outer", { cause: invalid });
  invalid.cause = outer;
  const text = describeError(outer);
  expect(text).not.toContain("hunter2");
  expect(text.length).toBeLessThan(20_000);
});

import { convexToJson, type JSONValue } from "convex/values";
import { expect, test } from "vitest";
import type { FunctionRun } from "../runtime/execution/function-run.ts";
import { FunctionLog } from "./function-log.ts";
import { createLog } from "./log.ts";
import { logRun } from "./log-runs.ts";

const run: FunctionRun = {
  requestId: "1f2e",
  component: "",
  identifier: "jobs.js:claim",
  kind: "Mutation",
  caller: "Client",
  startedAt: 0,
  durationMs: 12.34,
  failure: null,
  logLines: [],
  retries: 0,
  documentsRead: null,
};

/** The message of a failure by this error, as the runtime makes it. */
function thrownBy(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return `Uncaught ${String(error)}\n    at claim (../convex/jobs.ts:3:5)`;
  }
  throw new Error("nothing was thrown");
}

function entriesOf(...runs: readonly FunctionRun[]): readonly Record<string, unknown>[] {
  return entriesWith({ refusals: false }, ...runs);
}

function entriesWith(
  options: Parameters<typeof logRun>[2],
  ...runs: readonly FunctionRun[]
): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const log = createLog({ format: "json", level: "debug", write: (line) => lines.push(line), now: () => 0 });
  for (const each of runs) logRun(log, each, options);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A run that threw a ConvexError with this data. */
function refusedWith(data: JSONValue): FunctionRun {
  const message = `Uncaught ConvexError: ${JSON.stringify(data)}\n    at hello (../convex/work.ts:33:5)`;
  return { ...run, failure: { kind: "failure", message, data } };
}

test("a run's entries have its request id, and its printed lines keep their level", () => {
  const entries = entriesOf({ ...run, retries: 2, logLines: ["[LOG] 'hello'", "[ERROR] 'bad'"] });
  expect(entries).toMatchObject([
    { level: "info", event: "function.printed", requestId: "1f2e", message: "'hello'" },
    { level: "error", event: "function.printed", requestId: "1f2e", message: "'bad'" },
    { level: "debug", event: "function.succeeded", function: "jobs.js:claim", durationMs: 12.3, retries: 2 },
  ]);
});

test("entries of failures name the place and quote no value", () => {
  const failed = (message: string, data?: string): FunctionRun => ({
    ...run,
    failure: { kind: "failure", message, ...(data === undefined ? {} : { data }) },
  });
  const [plain, invalid, expected] = entriesOf(
    failed("Uncaught Error: nothing there\n    at claim (../convex/jobs.ts:3:5)"),
    failed('ArgumentValidationError: Value does not match validator.\nPath: .rank\nValue: "hunter2"'),
    failed('Uncaught ConvexError: {"card":"4111"}\n    at pay (../convex/jobs.ts:9:1)', '{"card":"4111"}'),
  );
  expect(plain).toMatchObject({ level: "warn", message: expect.stringContaining("jobs.ts:3:5") });
  expect(JSON.stringify(invalid)).not.toContain("hunter2");
  expect(expected).toMatchObject({
    level: "info",
    message: "Uncaught ConvexError\n    at pay (../convex/jobs.ts:9:1)",
  });
});

test("entries of refusals have their code, and their sentence only if the operator asked for it", () => {
  const refused = refusedWith({ code: "invalid", message: "A version is three numbers.", retryAfterMs: 5 });
  const [plain] = entriesWith({ refusals: false }, refused);
  expect(plain).toMatchObject({ level: "info", code: "invalid" });
  expect(plain?.["message"]).toBe("Uncaught ConvexError\n    at hello (../convex/work.ts:33:5)");
  const [full] = entriesWith({ refusals: true }, refused);
  expect(full).toMatchObject({ code: "invalid" });
  expect(full?.["message"]).toBe(
    "Uncaught ConvexError: A version is three numbers.\n    at hello (../convex/work.ts:33:5)",
  );
});

test.each([
  ["no object", "hunter2"],
  ["a list", [{ code: "invalid", message: "hunter2" }]],
  ["a code that is no name", { code: "hunter2 hunter2", message: "hunter2" }],
  ["a long code", { code: `hunter2${"x".repeat(100)}`, message: "hunter2" }],
  ["a message without a code", { message: "hunter2" }],
  ["a message that is no text", { code: "invalid", message: { card: "hunter2" } }],
])("an entry of a refusal with %s quotes nothing", (_what, data) => {
  const [entry] = entriesWith({ refusals: true }, refusedWith(data));
  expect(entry?.["message"]).toBe("Uncaught ConvexError\n    at hello (../convex/work.ts:33:5)");
  expect(JSON.stringify(entry)).not.toContain("hunter2");
});

test("the sentence of a refusal is cut after 500 characters", () => {
  const [entry] = entriesWith(
    { refusals: true },
    refusedWith({ code: "invalid", message: "x".repeat(9_000) }),
  );
  expect(String(entry?.["message"]).length).toBeLessThan(600);
});

const secret = "hunter2\n    at hunter2";

test.each([
  ["V8's parser", () => JSON.parse(secret) as unknown],
  ["V8's parser, in the middle", () => JSON.parse(`["a", ${secret}]`) as unknown],
  ["an unsupported type", () => convexToJson({ a: { b: [secret, new Date()] } } as never)],
  ["a missing value", () => convexToJson({ a: [secret, undefined] } as never)],
  ["an unsupported type by itself", () => convexToJson(new URLSearchParams({ secret }) as never)],
])("neither log quotes the value in an error of %s, and both name its place", (_what, act) => {
  const failed = { ...run, failure: { kind: "failure" as const, message: thrownBy(act) } };
  const followed = new FunctionLog();
  followed.ended(failed);
  for (const seen of [entriesOf(failed), followed.latest()]) {
    expect(JSON.stringify(seen)).toContain("jobs.ts:3:5");
    expect(JSON.stringify(seen)).not.toContain("hunter2");
  }
});

test("the functions' log quotes no refused argument", () => {
  const message = 'ArgumentValidationError: Value does not match validator.\nPath: .rank\nValue: "hunter2"';
  const followed = new FunctionLog();
  followed.ended({ ...run, failure: { kind: "failure", message } });
  expect(JSON.stringify(followed.latest())).toContain(".rank");
  expect(JSON.stringify(followed.latest())).not.toContain("hunter2");
});

test("the name of a function that does not exist is not logged as its caller wrote it", () => {
  const message =
    "Could not find public function for 'a caller's words'. Did you forget to run `npx convex dev`?";
  const [entry] = entriesOf({ ...run, identifier: null, failure: { kind: "failure", message } });
  expect(entry).toMatchObject({ level: "info", function: null, code: "not_found" });
  expect(JSON.stringify(entry)).not.toContain("words");
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../operations/log.ts";
import { logLine, logRun } from "../operations/log-runs.ts";
import { type Fixture, openFixture } from "./runtime.fixture.ts";

let fixture: Fixture;
let variables: { [name: string]: string } = {};
const logged: string[] = [];
const log = createLog({ format: "text", level: "info", write: (line) => logged.push(line) });

beforeEach(async () => {
  logged.length = 0;
  variables = {};
  fixture = await openFixture({
    env: () => variables,
    observer: {
      onStart: () => undefined,
      onEnd: (run) => logRun(log, run, { refusals: false }),
      onLine: (run, line) => logLine(log, run, line),
    },
  });
});
afterEach(() => fixture.engine.close());

/** A stream of an earlier test may not have ended yet. */
const loggedOf = (action: string): readonly string[] => logged.filter((line) => line.includes(action));

const fetchFrom = (path: string, init?: RequestInit): Promise<Response | null> =>
  fixture.runner.runHttp(new Request(`http://site${path}`, init));

test("a route answers with status, headers and body", async () => {
  const response = await fetchFrom("/echo", { method: "POST", body: "hello" });
  expect([response?.status, response?.headers.get("X-Path"), await response?.text()]).toEqual([
    201,
    "/echo",
    "hello",
  ]);
});

test("a path without a route has no response", async () => {
  expect(await fetchFrom("/nowhere")).toBeNull();
  expect(await fetchFrom("/echo")).toBeNull();
});

test("a streamed body arrives while it is produced, and its producer may write to the database", async () => {
  const response = await fetchFrom("/stream/abc");
  const body = response?.body as ReadableStream<Uint8Array>;
  const reader = body.getReader();
  const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
  expect(decode((await reader.read()).value)).toBe("chunk 0\n");
  const notes = (await fixture.call("notes:byRank", { from: 0, to: 9 })) as { text: string }[];
  // The stream is pulled at most one chunk ahead.
  expect(notes.length).toBeLessThan(3);
  expect(notes[0]?.text).toBe("/stream/abc 0");
  expect(decode((await reader.read()).value)).toBe("chunk 1\n");
  expect(decode((await reader.read()).value)).toBe("chunk 2\n");
  expect((await reader.read()).done).toBe(true);
});

test("HEAD is routed as GET and has no body", async () => {
  const response = await fetchFrom("/stream/abc", { method: "HEAD" });
  expect([response?.status, response?.headers.get("Content-Type"), response?.body]).toEqual([
    200,
    "text/plain",
    null,
  ]);
});

test("an action that throws answers 500 and is logged", async () => {
  const response = await fetchFrom("/fails");
  expect(response?.status).toBe(500);
  expect(await response?.json()).toEqual({
    code: expect.stringMatching(/^\[Request ID: .*\] Server Error: Uncaught Error: no answer$/),
    trace: expect.stringMatching(/^Uncaught Error: no answer\n {4}at .*\.\.\/convex\/http\.ts/),
  });
  expect(loggedOf("GET /fails")).toEqual([
    expect.stringMatching(/ warn {2}function\.failed: Uncaught Error: no answer/),
  ]);
});

test("only the caller sees the value that a validation error quotes, not the log", async () => {
  const response = await fetchFrom("/misuses", { method: "POST", body: "a secret\nPath: secret" });
  expect(response?.status).toBe(500);
  expect(await response?.text()).toContain("a secret");
  expect(logged.join("\n")).not.toContain("a secret");
  expect(loggedOf("POST /misuses")).toEqual([
    expect.stringMatching(
      / error function\.printed: 'misused' .*ArgumentValidationError: \.rank is not what/,
    ),
    expect.stringMatching(
      / warn {2}function\.failed: Uncaught .*ArgumentValidationError: \.rank is not what/,
    ),
  ]);
});

test("an error thrown after the client has left is not logged", async () => {
  await fetchFrom("/fails", { signal: AbortSignal.abort() });
  expect(loggedOf("GET /fails")).toEqual([]);
});

test("a body that breaks off is logged with the error, as long as its client is there", async () => {
  const halfway = await fetchFrom("/breaks/halfway");
  await expect(halfway?.text()).rejects.toThrow("halfway");
  expect(loggedOf("GET /breaks/")).toEqual([
    expect.stringMatching(/ error function\.printed: Uncaught Error: halfway\n? .*\.\.\/convex\/http\.ts/s),
  ]);
  logged.length = 0;
  const large = await fetchFrom("/breaks/large");
  await expect(large?.bytes()).rejects.toThrow("100 MiB");
  expect(loggedOf("GET /breaks/")).toEqual([
    expect.stringContaining("HttpResponseTooLarge: HTTP actions support responses up to 100 MiB"),
  ]);
  logged.length = 0;
  const client = new AbortController();
  const left = await fetchFrom("/breaks/halfway", { signal: client.signal });
  client.abort();
  await expect(left?.text()).rejects.toThrow("halfway");
  expect(loggedOf("GET /breaks/")).toEqual([]);
});

test("if the module with the routes does not load anymore, a request fails with its error", async () => {
  variables = { BROKEN_ROUTES: "not now" };
  const response = await fetchFrom("/stream/abc");
  expect([response?.status, await response?.json()]).toEqual([
    500,
    expect.objectContaining({ code: expect.stringContaining("Server Error: Uncaught Error: not now") }),
  ]);
  expect(loggedOf("GET /stream/abc")).toHaveLength(1);
  variables = {};
  expect((await fetchFrom("/stream/abc", { method: "HEAD" }))?.status).toBe(200);
});

import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { asAdmin, deployment, httpClient, isEmbedded, uniqueName } from "./deployment.ts";

type Answer = { readonly status: string; readonly value?: unknown; readonly logLines?: readonly string[] };

/** Calls a function and returns its answer with its log lines. A production deployment sends no lines. */
async function call(kind: "query" | "mutation" | "action", name: string, args: object = {}): Promise<Answer> {
  const response = await fetch(`${deployment.url}/api/${kind}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Convex-Client": "npm-1.48.0" },
    body: JSON.stringify({ path: `printing:${name}`, args: [args], format: "convex_encoded_json" }),
  });
  return (await response.json()) as Answer;
}

test("values are printed as Convex prints them", async () => {
  const { value, logLines } = await call("query", "values");
  expect(value).toEqual([]);
  if (logLines === undefined) return;
  expect(logLines.slice(0, -1)).toEqual([
    `[LOG] 'it\\'s' 'a "text"\\n' 1 -0 2n true null undefined`,
    "[INFO] [ 1, 'two', [ 3 ] ] [] {}",
    "[DEBUG] {\n  property: 'value',\n  nested: {},\n  'odd key': [ 1 ]\n}",
    "[WARN] [\n  {\n    a: 1\n  },\n  2\n] Map (1) {\n  'k' => 1\n} Set (1) {\n  'one'\n}",
    "[ERROR] [Error: broken] {\n  self: [Circular]\n} Point {\n  x: 1\n} [Function: Point] [Function (anonymous)]",
    "[LOG] {\n  a: {\n    b: {\n      c: {\n        d: {\n          e: [Object]\n        }\n      }\n    }\n  }\n}",
  ]);
  const last = logLines.at(-1)!;
  expect(last).toMatch(/^\[LOG\] 'x+ \(truncated due to length\)$/);
  expect(last.length).toBeLessThan(32_900);
});

test("objects of web APIs are printed as Convex prints them", async () => {
  const { logLines } = await call("query", "webApis");
  if (logLines === undefined) return;
  expect(logLines).toEqual([
    "[LOG] URL { href: 'https://a.example/b?c=1#d', origin: 'https://a.example', protocol: 'https:', " +
      "host: 'a.example', hostname: 'a.example', port: '', pathname: '/b', hash: '#d', search: '?c=1' }",
    "[LOG] Headers { a: 'b' }",
    "[LOG] Request { bodyUsed: false, headers: Headers { a: 'b' }, method: 'GET', url: 'https://a.example/' }",
    '[LOG] Blob { size: 1, type: "text/plain" }',
  ]);
});

test("values that are far too long for a line are cut", async () => {
  const { status, logLines } = await call("query", "longValues");
  expect(status).toBe("success");
  const cut = expect.stringMatching(/\(truncated due to length\)$/);
  if (logLines !== undefined) expect(logLines).toEqual([cut, cut, cut, cut]);
});

test("console.trace prints the frames of the developer's files", async () => {
  const { logLines } = await call("query", "trace");
  if (logLines === undefined) return;
  expect(logLines).toHaveLength(1);
  expect(logLines[0]).toMatch(/^\[LOG\] 'here' 1 \n\s+at .*\(\.\.\/[\w-]+\/printing\.ts:\d+:\d+\)/);
});

test("console.time, timeLog and timeEnd print durations, and warnings for wrong labels", async () => {
  const { logLines } = await call("query", "timers");
  if (logLines === undefined) return;
  expect(logLines.map((line) => line.replace(/\d+ms/, "0ms"))).toEqual([
    "[INFO] default: 0ms",
    "[INFO] default: 0ms",
    "[WARN] Timer 'foo' already exists",
    "[INFO] foo: 0ms 'bar' 1",
    "[INFO] foo: 0ms",
    "[WARN] Timer 'foo' does not exist",
  ]);
});

test("an error's stack has only frames with positions in the developer's files, and no path of the machine", async () => {
  const { value } = await call("query", "stacks");
  const { own, awaited, builtIn, ...others } = value as { [what: string]: string };
  const frame = String.raw` {4}at .*\(\.\./[\w-]+/printing\.ts:\d+:\d+\)`;
  expect(own).toMatch(new RegExp(`^${frame}`));
  expect(builtIn).toMatch(new RegExp(`^ {4}at parse.* \\(<anonymous>\\)\n${frame}`));
  expect(awaited).toMatch(/^ {4}at fails \(/);
  expect(awaited).toMatch(/\n {4}at async awaits \(\.\.\//);
  for (const stack of [own!, awaited!, ...Object.values(others)]) {
    expect(stack).not.toMatch(/node:|file:|at .*\((?!\.\.\/[\w-]+\/)/);
  }
});

const mib = 1024 * 1024;
const advice =
  "Consider using smaller limits in your queries, paginating your queries, or using indexed queries with a selective " +
  "index range expressions.";

test("a function that comes close to a limit is warned, and one that does not is not", async () => {
  const owner = uniqueName();
  const wrote = await call("mutation", "writesMuch", { owner, documents: 1, bytes: 900_000, depth: 13 });
  expect(wrote.status).toBe("success");
  const read = (args: object) => call("query", "readsMuch", { owner, repeats: 1, returned: 1, ...args });
  const much = await read({ repeats: 16 });
  const returned = await read({ returned: 14 * mib });
  const { value, logLines = [] } = await read({});
  expect([value, logLines]).toEqual(["x", []]);
  if (wrote.logLines === undefined) return;
  expect(wrote.logLines).toEqual([
    expect.stringMatching(
      /^\[WARN\] Large document written with ID "\w+" \(actual: 9\d{5} bytes, limit: 1048576 bytes\)\.$/,
    ),
    expect.stringMatching(
      /^\[WARN\] Deeply nested document written with ID "\w+" \(actual: 1[4-6] levels, limit: 16 levels\)\.$/,
    ),
  ]);
  expect(much.logLines).toEqual([
    expect.stringMatching(
      /^\[WARN\] Many bytes read in a single function execution \(actual: 144\d{5} bytes, /,
    ),
  ]);
  expect(much.logLines![0]).toContain(`limit: ${16 * mib} bytes). ${advice}`);
  expect(returned.logLines).toEqual([
    expect.stringMatching(/^\[WARN\] Large size of the function return value \(actual: 1468\d{4} bytes, /),
  ]);
});

test("many writes and large arguments are warned of", async () => {
  const owner = uniqueName();
  const wrote = await call("mutation", "writesMuch", { owner, documents: 13_000, bytes: 1, depth: 0 });
  const large = await call("query", "readsMuch", { owner: "x".repeat(14 * mib), repeats: 0, returned: 1 });
  if (wrote.logLines === undefined) return;
  expect(wrote.logLines).toContain(
    "[WARN] Many writes in a single function execution (actual: 13000, limit: 16000).",
  );
  expect(large.logLines).toEqual([
    expect.stringMatching(/^\[WARN\] Large size of the function arguments \(actual: 1468\d{4} bytes, /),
  ]);
});

test("an action's warnings have words of their own", async () => {
  const { logLines } = await call("action", "takesMuch", { text: "x".repeat(14 * mib) });
  if (logLines === undefined) return;
  expect(logLines).toEqual([
    expect.stringMatching(/^\[WARN\] Large size of the action arguments \(actual: 1468\d{4} bytes, /),
    expect.stringMatching(/^\[WARN\] Large size of the action return value \(actual: 1468\d{4} bytes, /),
  ]);
});

const unawaited = (operations: string): string =>
  `[WARN] ${operations}. Async operations should be awaited or they might not run. ` +
  "See https://docs.convex.dev/functions/actions#dangling-promises for more information.";
const several = unawaited("4 unawaited operations: [fetch, mutation, query]");

test("an action is warned of the operations that it leaves behind, and a query is not", async () => {
  const name = uniqueName();
  const left = await call("action", "leavesOperations", { name, fails: false });
  expect([left.status, left.value]).toEqual(["success", null]);
  const failed = await call("action", "leavesOperations", { name, fails: true });
  expect(failed.status).toBe("error");
  const one = await call("action", "leavesOne", { name });
  const { logLines = [] } = await call("query", "leavesRead");
  expect(logLines).toEqual([]);
  if (left.logLines === undefined) return;
  expect([left.logLines, failed.logLines, one.logLines]).toEqual([
    [several],
    [several],
    [unawaited("1 unawaited operation: [schedule]")],
  ]);
});

test.skipIf(!isEmbedded)("an HTTP action is warned of the operations that it leaves behind", async () => {
  expect(await (await fetch(`${deployment.siteUrl}/leaves-operations`)).text()).toBe("answered");
  const latest = makeFunctionReference<"query", Record<string, never>, { logLines: string[] }[]>(
    "_system/embedded/logs",
  );
  const printed = (await asAdmin(httpClient()).query(latest, {})).flatMap(({ logLines }) => logLines);
  expect(printed).toContain(several);
});

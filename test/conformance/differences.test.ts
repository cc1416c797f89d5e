import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import { describe, expect, onTestFinished, test } from "vitest";
import { startIssuer } from "../../packages/embedded/auth/issuer.fixture.ts";
import { fillingNames } from "../../packages/embedded/fixtures/test-app/differences.ts";
import { api, modules, testApp } from "../../packages/embedded/test-app.fixture.ts";
import { asAdmin, deployment, httpClient, isEmbedded, liveClient, uniqueName } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { convexCli, credentials, makeProject } from "./project.ts";
import { watch } from "./watch.ts";

const { counters, differences, nodeActions, reused, world } = modules;
const client = httpClient();

/** Calls a query, and returns its log lines. */
async function printedBy(name: string, module = "printing"): Promise<readonly string[] | undefined> {
  const answer = await fetch(`${deployment.url}/api/query`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ path: `${module}:${name}`, args: {}, format: "json" }),
  });
  return ((await answer.json()) as { readonly logLines?: readonly string[] }).logLines;
}

async function subscriptions(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^convex_embedded_subscriptions (\d+)$/m.exec(text)?.[1]);
}

/** A backend's own subscriptions: for scheduled functions, crons, deleted files and variables. */
const ownSubscriptions = 4;

/** Waits until a new backend has its own subscriptions. It makes them after it is ready. */
async function untilSubscribed(url: string): Promise<void> {
  await expect.poll(() => subscriptions(url)).toBe(ownSubscriptions);
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "differences-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a backend of this test's own. */
async function start(options: Parameters<typeof startEmbedded>[0] = {}) {
  const backend = await startEmbedded(options);
  onTestFinished(backend.stop);
  return backend;
}

// docs/embedded.md has a table of these differences.
describe.skipIf(!isEmbedded)("what differs from Convex Cloud", () => {
  test("a developer's message and frames reach the client", async () => {
    const failed = client.query(api.values.fail, { message: "no such luck" });
    await expect(failed).rejects.toThrow(
      /Server Error\nUncaught Error: no such luck\n\s+at .*values\.ts:\d+/,
    );
  });

  test("frames of awaited functions reach the client, with positions in the developer's files", async () => {
    const frame = String.raw`\(\.\./[\w-]+/printing\.ts:\d+:\d+\)`;
    const stack = new RegExp(
      String.raw`first line\nsecond line\n\s+at fails ${frame}\n\s+at async awaits ${frame}`,
    );
    for (const asked of [client, liveClient()]) {
      await expect(asked.query(modules.printing.failsLater, {})).rejects.toThrow(stack);
    }
  });

  test("a stack has exact columns, and no second name for a built-in function", async () => {
    const lines = (await readFile(join(testApp, "printing.ts"), "utf8")).split("\n");
    const placeOf = (code: string): string => {
      const row = lines.findIndex((line) => line.includes(code));
      return `(../test-app/printing.ts:${row + 1}:${lines[row]!.indexOf(code) + 1})`;
    };
    const failed = client.query(modules.printing.failsInMap, {});
    await expect(failed).rejects.toThrow(
      [
        `at <anonymous> ${placeOf("new Error(`at")}`,
        "    at map (<anonymous>)",
        `    at handler ${placeOf("map((n) => {")}`,
      ].join("\n"),
    );
  });

  test("a router's own runRequest is not called", async () => {
    const response = await fetch(`${deployment.siteUrl}/runs-itself`);
    expect([response.status, await response.text()]).toEqual([200, "the route's action"]);
  });

  test("a client does not choose the id of its request", async () => {
    const answer = await fetch(`${deployment.url}/api/mutation`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Convex-Request-Id": "mine" },
      body: JSON.stringify({ path: "differences:metadata", args: {}, format: "json" }),
    });
    expect(await answer.json()).toMatchObject({
      value: { requestId: expect.stringMatching(/^[0-9a-f]{16}$/) },
    });
  });

  test("a router that answers its first question otherwise misses its second request", async () => {
    const status = async () => (await fetch(`${deployment.siteUrl}/found-once`)).status;
    expect(await status()).toBe(200);
    expect(await status()).toBe(404);
  });

  test("a query over HTTP runs each time", async () => {
    const run = async () => (await client.query(api.messages.listWithRun, { channel: "none" })).run;
    expect(await run()).not.toBe(await run());
  });

  test("a stored page is not displayed, and cannot run scripts", async () => {
    const url = await client.mutation(makeFunctionReference<"mutation">("files:generateUploadUrl"), {});
    const sent = { method: "POST", body: "<script>", headers: { "Content-Type": "text/html" } };
    const { storageId: id } = (await (await fetch(url as string, sent)).json()) as { storageId: string };
    const stored = await client.query(makeFunctionReference<"query">("files:url"), { id });
    const { headers } = await fetch(stored as string);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-disposition": "attachment",
      "content-security-policy": "sandbox; default-src 'none'",
      etag: expect.stringMatching(/^".+"$/),
    });
    const statusWith = async (name: string, value: string) =>
      (await fetch(stored as string, { headers: { [name]: value } })).status;
    expect(await statusWith("If-None-Match", headers.get("ETag")!)).toBe(304);
    expect(await statusWith("Range", "bytes=100-")).toBe(416);
  });

  test("an action can wait for a change of what its query has read", async () => {
    const backend = await start();
    const [own, other] = [backend.url, backend.url].map(
      (url) => new ConvexHttpClient(url, { logger: false }),
    );
    const name = "waits";
    await untilSubscribed(backend.url);
    const waits = own!.action(counters.readTwice, { name, withinMs: 60_000 });
    await expect.poll(() => subscriptions(backend.url)).toBe(ownSubscriptions + 1);
    // Of another counter it learns nothing.
    await other!.mutation(api.counters.increment, { name: "another" });
    expect(await subscriptions(backend.url)).toBe(ownSubscriptions + 1);
    await other!.mutation(api.counters.increment, { name });
    expect(await waits).toEqual({ before: 0, changed: true, after: 1 });
    expect(await own!.action(counters.readTwice, { name, withinMs: 1 })).toEqual({
      before: 1,
      changed: false,
      after: 1,
    });
  });

  test("a change before the wait begins is not missed", async () => {
    expect(await client.action(counters.writeThenWait, { name: uniqueName(), withinMs: 30_000 })).toBe(true);
  });

  test("nobody but an action can wait for changes, and only for what it has read, for a minute at most", async () => {
    const wait = makeFunctionReference<"action", { query: string; args: object; withinMs: number }>(
      "_system/embedded/waitForChange",
    );
    const asked = { query: "counters:get", args: {}, withinMs: 1 };
    await expect(client.action(wait, asked)).rejects.toThrow("Could not find public function");
    await expect(asAdmin(httpClient()).action(wait, asked)).rejects.toThrow("Could not find");
    await expect(client.action(counters.waitsWithoutQuery, {})).rejects.toThrow(
      'Call the query "counters:secretGet" with these arguments first.',
    );
    const long = client.action(counters.readTwice, { name: uniqueName(), withinMs: 60_001 });
    await expect(long).rejects.toThrow("at most 60000 ms");
  });

  test("a wait that its action has left ends, too", async () => {
    const backend = await start();
    await untilSubscribed(backend.url);
    const own = new ConvexHttpClient(backend.url, { logger: false });
    await own.action(counters.leavesWait, { name: "left", withinMs: 60_000 });
    expect(await subscriptions(backend.url)).toBe(ownSubscriptions);
  });

  test("an empty variable hides that actions can wait for changes", async () => {
    const backend = await start();
    const set = await fetch(`${backend.url}/api/update_environment_variables`, {
      method: "POST",
      headers: { Authorization: `Convex ${backend.adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ changes: [{ name: "CONVEX_EMBEDDED_WAIT_FOR_CHANGE", value: "" }] }),
    });
    expect(set.ok).toBe(true);
    const own = new ConvexHttpClient(backend.url, { logger: false });
    expect(await own.action(counters.readTwice, { name: "hidden", withinMs: 1 })).toMatchObject({
      changed: null,
    });
  });

  test("a Node action runs with the backend's version of Node", async () => {
    expect(await client.action(nodeActions.version, {})).toBe(process.version);
  });

  test("runs of a module that allows reuse share its variables at the same time", async () => {
    const runs = await Promise.all([1, 2, 3].map(() => httpClient().action(reused.actionsAtOnce, {})));
    expect(Math.max(...runs)).toBeGreaterThan(1);
  });

  test("a ConvexError leaves a shared world to the next run, and another error does not", async () => {
    const own = new ConvexHttpClient((await start()).url, { logger: false });
    expect(await own.mutation(reused.countRuns, { end: "answer" })).toBe(1);
    await expect(own.mutation(reused.countRuns, { end: "refusal" })).rejects.toThrow(ConvexError);
    expect(await own.mutation(reused.countRuns, { end: "answer" })).toBe(3);
    await expect(own.mutation(reused.countRuns, { end: "failure" })).rejects.toThrow("failed");
    expect(await own.mutation(reused.countRuns, { end: "answer" })).toBe(1);
  });

  test("at most 32 mutations run at the same time", async () => {
    // Without a delay, a fast machine ends each one before the next comes.
    const { url } = await start({ args: ["--read-latency-ms", "3"] });
    const run = () => new ConvexHttpClient(url).mutation(reused.mutationsAtOnce, { name: uniqueName() });
    const most = Math.max(...(await Promise.all(Array.from({ length: 100 }, run))));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(32);
  });

  test("the classes of the web APIs are frozen", async () => {
    expect(await client.query(differences.changeable, {})).toEqual([]);
  });

  test.each([
    [8_192, "query"],
    [8_192, "timer"],
    [128, "timer"],
  ] as const)(
    "an action that keeps %i KiB before each %s is ended before the process",
    async (kibibytes, between) => {
      const { url } = await start({ env: { NODE_OPTIONS: "--max-old-space-size=400" } });
      const own = new ConvexHttpClient(url, { logger: false });
      const kept = own.action(differences.keepsInTurns, { kibibytes, between, what: "lists" });
      await expect(kept).rejects.toThrow("ran out of memory");
      expect(await own.query(api.counters.get, { name: "any" })).toBe(0);
    },
  );

  test.each(["buffers", "Blobs", "bodies"] as const)(
    "an action that keeps %s is ended before the machine's memory is full",
    async (what) => {
      // The backend takes the machine for a small one.
      const memory = "process.constrainedMemory=()=>640*1024*1024";
      const { url } = await start({ env: { NODE_OPTIONS: `--import=data:text/javascript,${memory}` } });
      const own = new ConvexHttpClient(url, { logger: false });
      const kept = own.action(differences.keepsInTurns, { kibibytes: 8_192, between: "timer", what });
      await expect(kept).rejects.toThrow("ran out of memory");
      expect(await own.query(api.counters.get, { name: "any" })).toBe(0);
    },
  );

  test.each(fillingNames)(
    "an action that gets much memory while none of its code runs is ended before the process: %s",
    async (name) => {
      // The backend has a small heap, and takes the machine for a small one.
      const memory = "process.constrainedMemory=()=>640*1024*1024";
      const options = `--max-old-space-size=400 --import=data:text/javascript,${memory}`;
      const { url } = await start({ env: { NODE_OPTIONS: options } });
      const own = new ConvexHttpClient(url, { logger: false });
      await expect(own.action(differences.fillsMemory, { name })).rejects.toThrow("ran out of memory");
      expect(await own.query(api.counters.get, { name: "any" })).toBe(0);
    },
  );

  test("a query may use more than 64 MiB of memory", async () => {
    expect(await client.query(differences.usesMemory, { mebibytes: 100 })).toBe(100 * 1024 * 1024);
  });

  test("a request to an HTTP action has at most 20 MiB", async () => {
    const send = async (mebibytes: number): Promise<number> => {
      const body = new Uint8Array(mebibytes * 2 ** 20);
      return (await fetch(`${deployment.siteUrl}/echo`, { method: "POST", body })).status;
    };
    expect([await send(19), await send(21)]).toEqual([200, 413]);
  });

  test("an answer of more than 100 MiB breaks off", async () => {
    const response = await fetch(`${deployment.siteUrl}/too-large`);
    expect(response.status).toBe(200);
    await expect(response.bytes()).rejects.toThrow("terminated");
  });

  test("a nested mutation with an invalid result leaves no writes", async () => {
    const channel = uniqueName();
    expect(await client.mutation(differences.catchesWrongReturn, { channel })).toMatch(
      /^ReturnsValidationError: /,
    );
    expect(await client.query(api.messages.list, { channel })).toEqual([]);
  });

  test("a range may be read again and again, but not without end", async () => {
    expect(await client.query(differences.readsAgain, { times: 16_384 })).toBe(null);
    const more = client.query(differences.readsAgain, { times: 25_000 });
    await expect(more).rejects.toThrow("Too many reads in a single function execution");
  });

  test("an action that blocks the process is ended", { timeout: 300_000 }, async () => {
    const { url } = await start();
    const blocked = new ConvexHttpClient(url).action(differences.blocks, {});
    await expect(blocked).rejects.toThrow("Function execution timed out (maximum duration: 30s)");
    expect(await new ConvexHttpClient(url).query(api.counters.get, { name: "any" })).toBe(0);
  });

  test("a first page without room for a document fails with the limit's message", async () => {
    const channel = uniqueName();
    for (const count of [9, 9])
      await client.mutation(api.messages.sendMany, { channel, count, size: 990_000 });
    const paginationOpts = { numItems: 1, cursor: null };
    const page = client.query(differences.pageWithoutRoom, { channel, before: 16, paginationOpts });
    await expect(page).rejects.toThrow("Too many bytes read in a single function execution");
  });

  test("a client without an identity may send less than the admin", async () => {
    const { url } = await start({ args: ["--max-anonymous-message-kib", "2048"] });
    const value = "x".repeat(3 * 1024 * 1024);
    const size = (caller: ConvexHttpClient) => caller.mutation(world.measure, { value });
    await expect(size(new ConvexHttpClient(url))).rejects.toThrow("without a user's token or the admin key");
    expect(await size(asAdmin(new ConvexHttpClient(url)))).toBe(value.length);
  });

  test("request metadata has no token", async () => {
    expect((await client.mutation(differences.metadata, {})).authToken).toBe(null);
  });

  test("while the issuer of a token does not answer, clients are told to try again", async () => {
    const issuer = await startIssuer();
    const token = await issuer.sign({});
    await issuer.stop();
    const { url } = await start({ issuer: issuer.url });
    const answer = await fetch(`${url}/api/query`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ path: "values:whoami", args: {}, format: "json" }),
    });
    expect(answer.status).toBe(503);
  });

  test("until the issuer of a token answers, a WebSocket's client tries again, and stays logged in", async () => {
    const issuer = await startIssuer();
    onTestFinished(issuer.stop);
    issuer.answer = (response) => response.destroy();
    const token = await issuer.sign({});
    const { url } = await start({ issuer: issuer.url });
    const client = liveClient(url);
    const states: boolean[] = [];
    client.setAuth(
      () => Promise.resolve(token),
      (isLoggedIn) => void states.push(isLoggedIn),
    );
    const user = watch(client, api.values.whoami, {});
    const attempts = () => client.connectionState().connectionCount;
    await expect.poll(attempts).toBeGreaterThan(1);
    expect([user.values, user.errors]).toEqual([[], []]);
    issuer.answer = null;
    expect(await user.until(() => true)).toContain("ann");
    expect(states).toEqual([true]);
  });

  test("a line of a log has up to 32 KiB", async () => {
    const lines = (await printedBy("values")) ?? [];
    expect(lines.at(-1)?.length).toBeGreaterThan(32_000);
  });

  test("a line of a log does not quote a value that a validator refused", async () => {
    const [line] = (await printedBy("prints", "differences")) ?? [];
    expect(line).toContain("ArgumentValidationError: a value is not what its validator allows.");
    expect(line).not.toContain("secret");
  });

  test("a form is printed with the name of its class only", async () => {
    expect((await printedBy("prints", "differences"))?.at(-1)).toBe("[LOG] FormData [FormData] {}");
  });

  test("the text of a function has the backend's ticks", async () => {
    expect(await client.query(differences.ownText, {})).toMatch(/^\(n\) => \(.*__convex.*, n \+ 1\)$/);
  });

  test("WebAssembly with garbage-collected types is refused", async () => {
    await expect(client.query(differences.compilesArrays, {})).rejects.toThrow(
      /types of garbage-collected values are not supported/,
    );
  });

  test("functions have queueMicrotask", async () => {
    expect(await client.query(differences.globals, {})).toContain("queueMicrotask");
  });

  test("functions have Temporal only if Node has it", async () => {
    expect((await client.query(differences.globals, {})).includes("Temporal")).toBe("Temporal" in globalThis);
  });

  test("packages that a push leaves to be installed are refused with a sentence", async () => {
    const nothing = { definition: null, schema: null, changedModules: [], unchangedModuleHashes: [] };
    const answer = await fetch(`${deployment.url}/api/deploy2/start_push`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Convex ${deployment.adminKey}` },
      body: JSON.stringify({
        dryRun: true,
        nodeDependencies: [{ name: "left-pad", version: "1.3.0" }],
        appDefinition: nothing,
        componentDefinitions: [],
      }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("node.externalPackages cannot be pushed to this backend");
  });

  test("a delay of reads and commits can be set", async () => {
    const { url } = await start({ args: ["--commit-latency-ms", "300", "--read-latency-ms", "200"] });
    const before = performance.now();
    await new ConvexHttpClient(url).mutation(api.counters.increment, { name: "slow" });
    expect(performance.now() - before).toBeGreaterThan(490);
  });

  test("pushed functions have their indexes at once, and last until a restart", async () => {
    const project = await makeProject();
    onTestFinished(project.remove);
    const schema = join(project.folder, "convex/schema.ts");
    const source = await readFile(schema, "utf8");
    await writeFile(
      schema,
      source.replace('.index("by_channel"', '.index("by_body", ["body"]).index("by_channel"'),
    );
    const added = `import { queryGeneric } from "convex/server";
      export const found = queryGeneric({ handler: async (ctx) =>
        (await ctx.db.query("messages").withIndex("by_body", (q) => q.eq("body", "early")).collect()).length });`;
    await writeFile(join(project.folder, "convex/added.ts"), added);
    const dataFile = join(await temporaryFolder(), "data.sqlite3");
    const found = (url: string) =>
      new ConvexHttpClient(url).query(makeFunctionReference<"query">("added:found"));

    const first = await startEmbedded({ dataFile });
    await new ConvexHttpClient(first.url).mutation(api.messages.send, { channel: "c", body: "early" });
    const push = spawn(process.execPath, [convexCli, "deploy", "--typecheck", "disable"], {
      cwd: project.folder,
      env: { ...process.env, ...credentials(first.url, deployment.adminKey) },
      stdio: "ignore",
    });
    expect(await once(push, "exit")).toEqual([0, null]);
    expect(await found(first.url)).toBe(1);
    await first.stop();
    const second = await start({ dataFile });
    await expect(found(second.url)).rejects.toThrow("Could not find public function");
  });
});

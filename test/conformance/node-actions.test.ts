import { createHash, randomBytes } from "node:crypto";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { ConvexError, type Value } from "convex/values";
import { describe, expect, onTestFinished, test } from "vitest";
import { attacks } from "../../packages/embedded/fixtures/test-app/nodeActions.ts";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { asAdmin, deployment, httpClient, isEmbedded, liveClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";
import { watch } from "./watch.ts";

const { later, nodeActions, nodeCallers } = modules;
const clients = [
  ["over HTTP", () => httpClient()],
  ["over a WebSocket", () => liveClient()],
] as const;

const messagesIn = (channel: string): Promise<string[]> => httpClient().query(api.messages.list, { channel });

describe("calls", () => {
  test.each(clients)("an action uses Node's modules and packages, %s", async (_, connect) => {
    expect(await connect().action(nodeActions.digest, { text: "häh" })).toEqual({
      sha256: createHash("sha256").update("häh").digest("hex"),
      zipped: "häh",
      isNode: true,
    });
  });

  test("an action calls queries, mutations and other actions", async () => {
    const channel = uniqueName();
    expect(await httpClient().action(nodeActions.callAll, { channel })).toEqual({
      written: "written in Node",
      messages: ["first", "second"],
    });
  });

  test("an action of the default runtime calls one", async () => {
    const channel = uniqueName();
    expect(await httpClient().action(nodeCallers.callWrite, { channel, body: "x" })).toBe("written in Node");
    expect(await messagesIn(channel)).toEqual(["x"]);
  });

  test("an HTTP action calls one", async () => {
    const channel = uniqueName();
    const url = `${deployment.siteUrl}/write-in-node?channel=${channel}`;
    expect(await (await fetch(url, { method: "POST", body: "x" })).text()).toBe("written in Node");
    expect(await messagesIn(channel)).toEqual(["x"]);
  });

  test("a component calls one by its handle", async () => {
    const channel = uniqueName();
    const called = httpClient().action(nodeCallers.callThroughComponent, { channel, body: "x" });
    expect(await called).toBe("written in Node");
    expect(await messagesIn(channel)).toEqual(["x"]);
  });

  test.each([
    [
      "a mutation",
      (args: { channel: string; body: string }) => httpClient().mutation(nodeCallers.scheduleWrite, args),
    ],
    [
      "a Node action",
      (args: { channel: string; body: string }) => httpClient().action(nodeActions.scheduleWrite, args),
    ],
  ])("%s schedules one", async (_, schedule) => {
    const channel = uniqueName();
    const client = liveClient();
    const id = await schedule({ channel, body: "x" });
    await watch(client, api.later.state, { id }).until((state) => state === "success");
    expect(await messagesIn(channel)).toEqual(["x"]);
    expect(await client.query(later.row, { id })).toMatchObject({ name: "nodeActions.js:write" });
  });

  test("internal ones are hidden, and the admin may call them", async () => {
    const args = { channel: uniqueName(), body: "x" };
    const write = nodeActions.write as unknown as typeof nodeCallers.callWrite;
    await expect(httpClient().action(write, args)).rejects.toThrow(saying("Could not find public function"));
    expect(await asAdmin(httpClient()).action(write, args)).toBe("written in Node");
  });

  test("a Node action cannot be called as a query or a mutation", async () => {
    await expect(httpClient().mutation(nodeActions.count as never)).rejects.toThrow(
      saying("Trying to execute nodeActions.js:count as Mutation, but it is defined as Action."),
    );
  });

  test("one client's actions run at the same time", async () => {
    const client = liveClient();
    const started = Date.now();
    await Promise.all(Array.from({ length: 12 }, () => client.action(nodeActions.rest, { ms: 1_000 })));
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});

describe("the context", () => {
  test("ctx.auth has the user", async () => {
    expect(await httpClient().action(nodeActions.whoami, {})).toBeNull();
    const ada = asAdmin(httpClient(), deployment.adminKey, "ada");
    expect(await ada.action(nodeActions.whoami, {})).toBe("ada");
  });

  test("ctx.meta describes the function and the request", async () => {
    expect(await httpClient().action(nodeActions.about, {})).toMatchObject({
      name: "nodeActions:about",
      requestId: expect.stringMatching(/./) as string,
      scheduledFunctionId: null,
    });
  });

  test("ctx.storage stores, reads and deletes Blobs", async () => {
    const bytes = new Uint8Array(randomBytes(300_000)).buffer;
    const stored = await httpClient().action(nodeActions.storeAndRead, { bytes, type: "image/png" });
    expect(stored).toMatchObject({ bytes, type: "image/png" });
    const served = await fetch(stored.url as string);
    expect(served.headers.get("content-type")).toBe("image/png");
    expect(await served.arrayBuffer()).toEqual(bytes);
    expect(await httpClient().action(nodeActions.removeFile, { id: stored.id })).toBeNull();
    expect((await fetch(stored.url as string)).status).toBe(404);
  });

  test("ctx.storage.store checks a digest", async () => {
    const sha256 = createHash("sha256").update("other").digest("base64");
    await expect(httpClient().action(nodeActions.storeWithDigest, { text: "x", sha256 })).rejects.toThrow(
      saying("Sha256 mismatch"),
    );
  });

  test("process.env has the deployment's variables, and none of the server's", async () => {
    const url = await httpClient().action(nodeActions.variable, { name: "CONVEX_CLOUD_URL" });
    expect(url).toBe(await httpClient().query(api.values.environment, { name: "CONVEX_CLOUD_URL" }));
    const names = await httpClient().action(nodeActions.variableNames, {});
    const allowed = ["PATH", "PWD", "LANG", "NODE_PATH", "TZ", "UTC"];
    const foreign = names.filter((name) => !allowed.includes(name) && !/^(?:CONVEX|FIXTURE)_/.test(name));
    expect(foreign).toEqual([]);
    expect(names).not.toContain("CONVEX_EMBEDDED_ADMIN_KEY");
  });

  test("what it prints reaches its client, with the request's id", async () => {
    const lines: string[] = [];
    const add = (...parts: unknown[]): void => void lines.push(parts.join(" "));
    const logger = { log: add, warn: add, error: add, logVerbose: () => undefined };
    const client = new ConvexClient(deployment.url, { logger, unsavedChangesWarning: false });
    onTestFinished(() => client.close());
    await client.action(nodeActions.print, { text: "hello there" });
    // A production deployment does not send its logs to clients.
    if (!isEmbedded && lines.length === 0) return;
    const text = lines.join(" ").replace(/\s+/g, " ");
    expect(text).toContain("'hello there' { nested: [ 1 ] }");
    expect(text).toContain("'careful'");
    expect(text).toContain("Map (1) { 'a' => 1 }");
  });
});

describe("contract", () => {
  test.each(clients)("arguments are validated, %s", async (_, connect) => {
    const call = connect().action(nodeActions.strict, { count: "one" } as never);
    await expect(call).rejects.toThrow(/ArgumentValidationError|Server Error/);
  });

  test.each([
    ["by a client", () => httpClient().action(nodeActions.strict, { count: -1 })],
    ["by an action", () => httpClient().action(nodeCallers.callStrict, { count: -1 })],
  ])("a returned value is validated: called %s", async (_, call) => {
    await expect(call()).rejects.toThrow(/ReturnsValidationError|Server Error/);
  });

  test("arguments may have 5 MiB", async () => {
    const text = "x".repeat(5 * 1024 * 1024 - 1_000);
    expect(await httpClient().action(nodeActions.size, { text })).toBe(text.length);
    await expect(httpClient().action(nodeActions.size, { text: text + text })).rejects.toThrow(
      saying("Node actions arguments size is too large. The maximum size is 5 MiB."),
    );
  });

  test.each(clients)("an error has its message and its place, %s", async (_, connect) => {
    const call = connect().action(nodeActions.fail, { text: "no such luck" });
    const error = (await call.catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(
      saying(/Uncaught TypeError: no such luck\n {4}at handler \(\.\.\/[\w-]+\/nodeActions\.ts:\d+:\d+\)/),
    );
  });

  test.each([
    ["its own", nodeActions.failWithData],
    ["a mutation's", nodeActions.failNested],
  ])("a ConvexError passes with its data: %s", async (_, action) => {
    const data: Value = { code: "taken", id: 7n, bytes: new Uint8Array([1, 2]).buffer };
    const call = httpClient().action(action, { data });
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConvexError);
    expect((error as ConvexError<Value>).data).toEqual(data);
  });

  test("variables of modules may be kept from run to run", async () => {
    const counts = [];
    for (let n = 0; n < 3; n += 1) counts.push(await httpClient().action(nodeActions.count, {}));
    expect(counts.every((count) => count >= 1)).toBe(true);
  });

  test("a call that it left behind does not end it, or others", async () => {
    const channel = uniqueName();
    expect(await httpClient().action(nodeActions.leave, { channel, body: "late" })).toBe("left");
    expect(await httpClient().action(nodeActions.rest, { ms: 500 })).toBe("rested");
  });
});

/** The caller's error. Convex words the end of a process differently. */
const reasons: Readonly<Record<string, string | RegExp>> = {
  "process.exit(0)": isEmbedded ? "(exit code 0)" : /./,
  "process.exit(7)": isEmbedded ? "(exit code 7)" : /./,
  "process.abort()": isEmbedded ? "(signal SIGABRT)" : /./,
  "SIGKILL to itself": isEmbedded ? "(signal SIGKILL)" : /./,
  "out of memory": "ran out of memory (maximum memory usage: 512 MB)",
  "removes all listeners and exits": isEmbedded ? "(exit code 0)" : /./,
};

describe("hostile actions", () => {
  test.each(Object.keys(attacks))("fail alone: %s", async (name) => {
    const attacked = httpClient().action(nodeActions.attack, { name });
    const message = await attacked.then(String, (error: unknown) => (error as Error).message);
    expect(message).toMatch(saying(reasons[name] ?? "hostile"));
    await expectUnharmed();
  });

  test("an action that blocks its process delays neither queries nor other Node actions", async () => {
    const blocking = httpClient().action(nodeActions.block, { ms: 6_000 });
    const ended = blocking.then(() => "ended");
    await expectUnharmed();
    expect(await Promise.race([ended, httpClient().action(nodeActions.rest, { ms: 1 })])).toBe("rested");
    expect(await blocking).toBe("done");
  });
});

/** Functions of both runtimes have to answer as before. */
async function expectUnharmed(): Promise<void> {
  const channel = uniqueName();
  const client = new ConvexHttpClient(deployment.url, { logger: false });
  await client.mutation(api.messages.send, { channel, body: "fine" });
  expect(await client.action(nodeActions.callAll, { channel })).toEqual({
    written: "written in Node",
    messages: ["fine", "first", "second"],
  });
}

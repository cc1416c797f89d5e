import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { api, modules, testApp } from "../test-app.fixture.ts";

const embedded = join(import.meta.dirname, "..");

type Started = {
  readonly process: ChildProcess;
  readonly url: string;
  readonly ended: Promise<unknown[]>;
  readonly log: readonly Record<string, unknown>[];
};

/** Starts the real program, to test its signals, streams and exit codes. */
async function start(...options: readonly string[]): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "stopping-"));
  const args = ["--convex", testApp, "--data", join(folder, "data.sqlite")];
  const child = spawn(
    process.execPath,
    [join(embedded, "main.ts"), ...args, "--port", "0", "--site-port", "0", ...options],
    {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, CONVEX_EMBEDDED_ADMIN_KEY: "test|0123456789" },
    },
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });
  const log: Record<string, unknown>[] = [];
  createInterface(child.stderr).on("line", (line) => log.push(JSON.parse(line) as Record<string, unknown>));
  const ended = once(child, "exit");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { process: child, url: (JSON.parse(line) as { url: string }).url, ended, log };
}

const send = (url: string): Promise<unknown> =>
  new ConvexHttpClient(url, { logger: false }).mutation(api.messages.send, { channel: "a", body: "b" });

test("SIGTERM finishes and answers running calls, disconnects clients and exits with 0", async () => {
  const { process: child, url, ended, log } = await start("--commit-latency-ms", "1500");
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/sync`);
  await once(socket, "open");
  const closed = once(socket, "close");
  const answer = send(url);
  await expect.poll(async () => await pendingRequests(url)).toBe(true);
  child.kill("SIGTERM");
  expect(await closed).toMatchObject([1001, expect.anything()]);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(await answer).toEqual(expect.any(String));
  expect(await ended).toEqual([0, null]);
  expect(log.map(({ event }) => event)).toEqual(
    expect.arrayContaining(["backend.started", "backend.stopping"]),
  );
});

/** Starts an action from a WebSocket client. It has begun when a later request of the client is answered. */
async function runningAction(
  url: string,
  ms: number,
): Promise<readonly [Promise<{ started: number; ended: number }>]> {
  const client = new ConvexClient(url, { logger: false, unsavedChangesWarning: false });
  onTestFinished(() => client.close());
  const action = client.action(modules.nested.slow, { ms });
  // The caller awaits the action itself; this handler only avoids an unhandled rejection.
  action.catch(() => undefined);
  await client.mutation(api.counters.increment, { name: "after" });
  return [action];
}

test("SIGTERM waits for a short action of a WebSocket client and answers it", async () => {
  const { process: child, url, ended } = await start();
  const [action] = await runningAction(url, 1_500);
  child.kill("SIGTERM");
  expect(await action).toMatchObject({ started: expect.any(Number) as number });
  expect(await ended).toEqual([0, null]);
});

test("SIGTERM does not wait for a long action", async () => {
  const { process: child, url, ended } = await start();
  const [action] = await runningAction(url, 60_000);
  child.kill("SIGTERM");
  expect(await Promise.race([action.then(() => "answered"), ended])).toEqual([0, null]);
});

test("a second signal ends the process at once", async () => {
  const { process: child, url, ended, log } = await start("--commit-latency-ms", "9000");
  send(url).catch(() => undefined);
  await expect.poll(async () => await pendingRequests(url)).toBe(true);
  child.kill("SIGTERM");
  await expect.poll(() => log.some(({ event }) => event === "backend.stopping")).toBe(true);
  child.kill("SIGTERM");
  expect(await ended).toEqual([143, null]);
});

/** Whether a mutation is waiting for its commit, according to the statistics. */
async function pendingRequests(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/embedded/conflicts`, {
    headers: { Authorization: "Convex test|0123456789" },
  });
  const { functions } = (await response.json()) as { functions: Record<string, { runs: number }> };
  return (functions["messages.js:send"]?.runs ?? 0) > 0;
}

test("a stranger's wrong calls write little into the log, and none of their words", async () => {
  const { url, log } = await start();
  const call = async (index: number): Promise<unknown> => {
    const body = JSON.stringify({ path: `words${String(index)}:x`, args: [{}], format: "json" });
    return await (await fetch(`${url}/api/query`, { method: "POST", body })).json();
  };
  for (let at = 0; at < 500; at += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => call(at + index)));
  }
  expect(log.filter(({ event }) => event === "function.failed")).toHaveLength(10);
  expect(JSON.stringify(log)).not.toContain("words");
});

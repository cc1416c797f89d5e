import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { modules } from "../../packages/embedded/test-app.fixture.ts";
import { isEmbedded } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";

const { nodeActions } = modules;
const soon = { timeout: 60_000, interval: 100 };

async function start() {
  const backend = await startEmbedded();
  onTestFinished(backend.stop);
  const client = new ConvexHttpClient(backend.url, { logger: false });
  return { backend, client };
}

/** The ids of processes that a process has started. */
function childrenOf(parent: number | undefined): readonly number[] {
  const lines = execFileSync("ps", ["-A", "-o", "ppid=,pid=,stat="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/));
  return processes
    .filter(([ppid, , state]) => ppid === String(parent) && state?.startsWith("Z") === false)
    .map(([, pid]) => Number(pid));
}

function isAlive(pid: number): boolean {
  const state = execFileSync("ps", ["-A", "-o", "pid=,stat="], { encoding: "utf8" });
  return new RegExp(`^ *${pid} +[^Z]`, "m").test(state);
}

/** Calls an action that never ends, and waits until it runs. */
async function loop(client: ConvexHttpClient): Promise<void> {
  void client.action(nodeActions.loopForever, {}).catch(() => null);
  await sleep(500);
}

describe.skipIf(!isEmbedded || process.platform === "win32")("processes of Node actions", () => {
  test("none runs before the first action", async () => {
    const { backend, client } = await start();
    expect(childrenOf(backend.process.pid)).toEqual([]);
    const { pid } = await client.action(nodeActions.whereabouts, {});
    expect(childrenOf(backend.process.pid)).toEqual([pid]);
  });

  test("they end with the backend", async () => {
    const { backend, client } = await start();
    const { pid, folder } = await client.action(nodeActions.whereabouts, {});
    await loop(client);
    await backend.stop();
    expect([isAlive(pid), existsSync(folder)]).toEqual([false, false]);
  });

  test("they end when the backend is killed, even if they are in an endless loop", async () => {
    const { backend, client } = await start();
    const blocked = await client.action(nodeActions.whereabouts, {});
    await loop(client);
    const free = await client.action(nodeActions.whereabouts, {});
    expect(free.pid).not.toBe(blocked.pid);
    const ended = once(backend.process, "exit");
    backend.process.kill("SIGKILL");
    await ended;
    for (const { pid, folder } of [free, blocked]) {
      await vi.waitFor(() => expect([isAlive(pid), existsSync(folder)]).toEqual([false, false]), soon);
    }
  });
});

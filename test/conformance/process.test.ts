import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { describe, expect, onTestFinished, test } from "vitest";
import { api, modules, testApp } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient, isEmbedded, liveClient, uniqueName } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { watch } from "./watch.ts";

const entry = join(import.meta.dirname, "../../packages/embedded/main.ts");

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "process-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the entry until it ends by itself. */
async function runToEnd(
  args: readonly string[],
  env: NodeJS.ProcessEnv = { CONVEX_EMBEDDED_ADMIN_KEY: "k" },
) {
  const child = spawn(process.execPath, [entry, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** Tests that need a deployment that we start ourselves. */
describe.skipIf(!isEmbedded)("the process", () => {
  test.skipIf(process.platform === "win32")(
    "the process ends with the reason when its file cannot grow",
    async () => {
      const dataFile = join(await temporaryFolder(), "data.sqlite3");
      // With SIGXFSZ ignored, a write over the limit fails as on a full disk.
      const command = `trap '' XFSZ; ulimit -f 3072; exec "$0" "$@"`;
      const args = [entry, "--convex", testApp, "--data", dataFile, "--port", "0"];
      const child = spawn("bash", ["-c", command, process.execPath, ...args], {
        env: { ...process.env, CONVEX_EMBEDDED_ADMIN_KEY: "k" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let said = "";
      child.stderr.on("data", (data: Buffer) => (said += data.toString()));
      const ended = once(child, "exit");
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const { url } = JSON.parse(line.toString()) as { url: string };
      const client = new ConvexHttpClient(url, { logger: false });
      const fill = async (): Promise<void> => {
        for (let n = 0; n < 5_000; n += 1)
          await client.mutation(api.counters.increment, { name: uniqueName() });
      };
      await Promise.all(Array.from({ length: 8 }, () => fill().catch(() => undefined)));
      expect(await ended).toEqual([1, null]);
      expect(said).toContain("Check that the disk has room");
    },
  );

  test("kill -9 loses no acknowledged write, and resent mutations do not run again", async () => {
    const dataFile = join(await temporaryFolder(), "data.sqlite3");
    const name = uniqueName();
    let backend = await startEmbedded({ dataFile });
    onTestFinished(() => backend.stop());
    const [port, sitePort] = [backend.url, backend.siteUrl].map((url) => Number(new URL(url).port));
    const client = liveClient(backend.url);
    await watch(client, api.counters.get, { name }).until(() => true);
    const acknowledged: number[] = [];
    const answers = Array.from({ length: 200 }, async () => {
      acknowledged.push(await client.mutation(api.counters.increment, { name }));
    });
    await Promise.race(answers.slice(20, 21));
    backend.process.kill("SIGKILL");
    await once(backend.process, "exit");
    const beforeRestart = acknowledged.length;
    backend = await startEmbedded({ dataFile, port: port!, sitePort: sitePort! });
    expect(await new ConvexHttpClient(backend.url).query(api.counters.get, { name })).toBeGreaterThanOrEqual(
      beforeRestart,
    );
    await Promise.all(answers);
    expect(acknowledged).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect(await new ConvexHttpClient(backend.url).query(api.counters.get, { name })).toBe(200);
  });

  test("functions scheduled before a kill -9 run after the restart", async () => {
    const dataFile = join(await temporaryFolder(), "data.sqlite3");
    const channel = uniqueName();
    let backend = await startEmbedded({ dataFile });
    onTestFinished(() => backend.stop());
    const body = "survivor";
    await new ConvexHttpClient(backend.url).mutation(api.later.schedule, { channel, body, delayMs: 1000 });
    backend.process.kill("SIGKILL");
    await once(backend.process, "exit");
    backend = await startEmbedded({ dataFile });
    const seen = watch(liveClient(backend.url), api.messages.list, { channel });
    expect(await seen.until((messages) => messages.length > 0)).toEqual([body]);
  });

  test("functions see only the environment variables passed with --pass-env", async () => {
    const read = (name: string) => httpClient().query(api.values.environment, { name });
    expect(await read("FIXTURE_GREETING")).toBe("hello from outside");
    expect(await read("CONVEX_EMBEDDED_ADMIN_KEY")).toBeNull();
  });

  test("the process stops within seconds on SIGTERM, with clients connected", async () => {
    const backend = await startEmbedded();
    await watch(liveClient(backend.url), api.messages.list, { channel: "c" }).until(() => true);
    const started = Date.now();
    await backend.stop();
    expect(backend.process.exitCode).toBe(0);
    expect(Date.now() - started).toBeLessThan(30_000);
  });

  test.skipIf(process.platform === "win32")(
    "time in which the process cannot compute does not count for a function",
    async () => {
      const backend = await startEmbedded();
      onTestFinished(() => backend.stop());
      const client = new ConvexHttpClient(backend.url, { logger: false });
      const ended = expect(client.query(modules.world.spins, {})).rejects.toThrow("timed out");
      await setTimeout(300);
      backend.process.kill("SIGSTOP");
      await setTimeout(1_500);
      backend.process.kill("SIGCONT");
      const continued = performance.now();
      await ended;
      expect(performance.now() - continued).toBeGreaterThan(500);
    },
  );

  test("the process ends with its parent", async () => {
    const backend = await startEmbedded();
    onTestFinished(() => backend.stop());
    const ended = once(backend.process, "exit");
    backend.process.stdin?.destroy();
    expect(await ended).toEqual([0, null]);
  });

  test("the process names a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const data = join(await temporaryFolder(), "data.sqlite3");
    const ended = await runToEnd([
      "--convex",
      testApp,
      "--data",
      data,
      "--port",
      String(port),
      "--site-port",
      "0",
    ]);
    expect(ended.code).toBe(1);
    expect(ended.output).toContain(`127.0.0.1:${port} is already in use`);
    expect(ended.output).not.toContain(" at ");
  });

  test("the process explains wrong arguments, a missing key and missing functions", async () => {
    const folder = await temporaryFolder();
    const free = ["--port", "0", "--data", join(folder, "data.sqlite3")];
    expect(await runToEnd(["--color"])).toMatchObject({
      code: 2,
      output: expect.stringContaining("--convex FOLDER"),
    });
    expect(await runToEnd(["--convex", testApp, ...free], {})).toMatchObject({
      code: 1,
      output: expect.stringContaining("CONVEX_EMBEDDED_ADMIN_KEY"),
    });
    expect(await runToEnd(["--convex", join(folder, "nothing"), ...free])).toMatchObject({
      code: 1,
      output: expect.stringContaining("nothing"),
    });
  });
});

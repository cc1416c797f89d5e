import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { api, modules, testApp } from "../../packages/embedded/test-app.fixture.ts";
import { freePorts } from "../launch/free-port.ts";
import { aheadClock } from "./ahead-clock.ts";
import { deployment, isEmbedded, uniqueName } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { makeProject, runConvex } from "./project.ts";

const { blocking } = modules;
const uploadUrl = makeFunctionReference<"mutation", Record<string, never>, string>("files:generateUploadUrl");

async function start(options: Parameters<typeof startEmbedded>[0] = {}) {
  const backend = await startEmbedded(options);
  onTestFinished(backend.stop);
  return { backend, client: () => new ConvexHttpClient(backend.url, { logger: false }) };
}

/** Sends the head of a request, and the beginning of its body. */
async function begin(url: string, path: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000\r\n\r\n{`);
  // The request has arrived.
  await sleep(500);
  return socket;
}

// docs/embedded.md has a table of these differences.
describe.skipIf(!isEmbedded)("one process, unlike on Convex Cloud", () => {
  test("no two functions compute at the same time", async () => {
    const { client } = await start();
    const runs = [1, 2, 3, 4].map(() => client().action(blocking.computes, { ms: 200 }));
    const spans = (await Promise.all(runs)).toSorted((a, b) => a.from - b.from);
    for (const [n, { from }] of spans.slice(1).entries()) expect(from).toBeGreaterThanOrEqual(spans[n]!.to);
  });

  test("no function runs during one long call of a built-in function", async () => {
    const { client } = await start();
    const looked = client().action(blocking.looks, { times: 1_000 });
    const { from, to } = await client().action(blocking.multiplies, { ms: 300 });
    const seen = await looked;
    expect(seen[0]).toBeLessThan(from);
    expect(seen.at(-1)).toBeGreaterThan(to);
    expect(seen.filter((at) => at > from && at < to)).toEqual([]);
  });

  test("at the start, modules that need a variable wait until it is set", async () => {
    const project = await makeProject();
    onTestFinished(project.remove);
    const convexDir = join(project.folder, "convex");
    const source = `import { queryGeneric } from "convex/server";
      const planet = process.env["PLANET"];
      if (planet === undefined) throw new Error("PLANET is missing");
      export const read = queryGeneric({ handler: () => planet });`;
    await writeFile(join(convexDir, "planet.ts"), source);
    const port = await freePorts(2);
    const target = { url: `http://127.0.0.1:${port}`, adminKey: deployment.adminKey };
    const started = start({ convexDir, port, sitePort: port + 1 });
    const reasons = async () => (await fetch(`${target.url}/ready`)).text();
    await expect.poll(() => reasons().catch(() => "")).toContain("PLANET is missing");
    const client = new ConvexHttpClient(target.url, { logger: false });
    const read = () => client.query(makeFunctionReference<"query">("planet:read"), {});
    await expect(read()).rejects.toThrow("PLANET is missing");
    expect((await runConvex(project, target, ["env", "set", "PLANET", "Mars"])).code).toBe(0);
    await started;
    expect(await read()).toBe("Mars");
  });

  test("timers and operations that an HTTP action leaves behind go on for ten seconds", async () => {
    const { backend, client } = await start();
    const channel = uniqueName();
    expect(await (await fetch(`${backend.siteUrl}/writes-later/${channel}`)).text()).toBe("answered");
    await sleep(16_000);
    expect(await client().query(api.messages.list, { channel })).toEqual(["3", "3 by an action"]);
  });

  test("another process cannot open the same data", async () => {
    const folder = await mkdtemp(join(tmpdir(), "differences-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const dataFile = join(folder, "data.sqlite3");
    await start({ dataFile });
    const main = join(import.meta.dirname, "../../packages/embedded/main.ts");
    const args = [main, "--convex", testApp, "--data", dataFile, "--port", "0", "--site-port", "0"];
    const env = { ...process.env, CONVEX_EMBEDDED_ADMIN_KEY: "any|key", FIXTURE_ISSUER: "none" };
    const second = spawnSync(process.execPath, args, { env, encoding: "utf8", timeout: 60_000 });
    expect(second.status).toBeGreaterThan(0);
    expect(second.stderr).toContain("is in use by another process");
  });

  test("a request must arrive within five minutes, and an upload may take longer without a pause of one", async () => {
    const { backend, client } = await start({ env: aheadClock });
    const { pathname, search } = new URL(await client().mutation(uploadUrl, {}));
    const slow = await begin(backend.url, "/api/query");
    const upload = await begin(backend.url, pathname + search);
    let uploaded = "";
    upload.setEncoding("utf8").on("data", (data: string) => (uploaded += data));
    const refused = text(slow);
    backend.process.kill("SIGUSR2");
    upload.write("x");
    expect(await refused).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
    upload.write("x".repeat(998));
    await expect.poll(() => uploaded).toMatch(/^HTTP\/1\.1 200 OK/);
    const pausing = text(await begin(backend.url, pathname + search));
    // The pause begins when the backend looks for the first time.
    await sleep(6_000);
    backend.process.kill("SIGUSR2");
    expect(await pausing).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
  });

  test("a stored file has at most 2 GiB, or as much as an option says", async () => {
    const refusal = async (args: readonly string[], bytes: number): Promise<[number, string]> => {
      const { client } = await start({ args });
      const sent = request(await client().mutation(uploadUrl, {}), {
        method: "POST",
        headers: { "Content-Length": bytes },
      });
      onTestFinished(() => void sent.destroy());
      sent.on("error", () => undefined);
      sent.flushHeaders();
      const [answer] = (await once(sent, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
      return [answer.statusCode, await text(answer)];
    };
    const sentence = (bytes: number): string => `A file may have ${String(bytes)} bytes at most`;
    const largest = 2 * 1024 ** 3;
    expect(await refusal([], largest + 1)).toEqual([413, expect.stringContaining(sentence(largest))]);
    const option = ["--max-file-mib", "1"];
    expect(await refusal(option, 1024 ** 2 + 1)).toEqual([413, expect.stringContaining(sentence(1024 ** 2))]);
  });

  test("on loopback only known host names are answered", async () => {
    const { backend } = await start();
    const sent = request(`${backend.url}/api/version`, { headers: { Host: "attacker.test" } });
    sent.end();
    const [answer] = (await once(sent, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
    expect([answer.statusCode, await text(answer)]).toEqual([403, expect.stringContaining("UnknownHost")]);
  });
});

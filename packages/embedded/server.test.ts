import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Backend, BackendOptions } from "./compose/backend-options.ts";
import { silent } from "./operations/log.ts";
import { startBackend } from "./server.ts";
import { api, testApp } from "./test-app.fixture.ts";

// Each test bundles the whole app, which takes long on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const root = join(import.meta.dirname, "../..");

/** Starts the app's real functions, with a static page. */
async function start(options: Partial<BackendOptions>): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), "server-"));
  const backend = await startBackend({
    convexDir: join(root, "convex"),
    dataFile: join(folder, "data.sqlite"),
    port: 0,
    sitePort: 0,
    adminKey: "test|key",
    staticFolders: [{ path: "/page", dir: import.meta.dirname }],
    ...options,
  });
  onTestFinished(async () => {
    await backend.close();
    await rm(folder, { recursive: true });
  });
  return backend;
}

/** `fetch` sends the host it connects to as Host; a proxy sends the requested one. */
async function get(siteUrl: string, path: string, host: string) {
  return await new Promise<{ status: number; policy: string; body: string }>((resolve, reject) => {
    httpRequest(siteUrl + path, { headers: { host } }, (response) => {
      let body = "";
      response.on("data", (data: Buffer) => (body += data.toString()));
      response.on("end", () => {
        const policy = String(response.headers["content-security-policy"]);
        resolve({ status: response.statusCode ?? 0, policy, body });
      });
    })
      .on("error", reject)
      .end();
  });
}

const connectTo = (policy: string): readonly string[] =>
  /connect-src ([^;]*)/.exec(policy)?.[1]?.split(" ") ?? [];

test("behind a proxy, clients get the public URL, and the page may connect to it", async () => {
  const { siteUrl } = await start({
    publicUrl: "https://api.example.org",
    publicSiteUrl: "https://gleaner.example.org",
  });
  const config = await get(siteUrl, "/config", "gleaner.example.org");
  expect([config.status, JSON.parse(config.body)]).toEqual([
    200,
    { deploymentUrl: "https://api.example.org" },
  ]);
  const page = await get(siteUrl, "/page/main.ts", "gleaner.example.org");
  expect(connectTo(page.policy)).toEqual(["'self'", "https://api.example.org", "wss://api.example.org"]);
  expect((await get(siteUrl, "/config", "evil.example.org")).status).toBe(403);
});

test.each(["office:3211", "localhost:3211", "127.0.0.1:3211"])(
  "on all addresses, a page requested as %s may connect to the URL it gets",
  async (host) => {
    const { url, siteUrl } = await start({ host: "0.0.0.0" });
    const { deploymentUrl } = JSON.parse((await get(siteUrl, "/config", host)).body) as {
      deploymentUrl: string;
    };
    const name = host === "office:3211" ? "office" : "127.0.0.1";
    expect(deploymentUrl).toBe(`http://${name}:${new URL(url).port}`);
    const { policy } = await get(siteUrl, "/page/main.ts", host);
    expect(connectTo(policy)).toContain(deploymentUrl);
    expect(connectTo(policy)).toContain(deploymentUrl.replace("http", "ws"));
  },
);

test.each(["mutation", "function"])(
  "jobs cannot be submitted past the HTTP API, by /api/%s",
  async (kind) => {
    const { url } = await start({});
    const response = await fetch(`${url}/api/${kind}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ path: "requests:submit", args: {}, format: "json" }),
    });
    expect(await response.text()).toContain("Could not find public function for 'requests:submit'");
  },
);

test("mutations of `onStart` have run as often as they ask for when the first client is answered", async () => {
  const failures: string[] = [];
  const log = { ...silent, error: (event: string) => void failures.push(event) };
  const { url } = await start({
    convexDir: testApp,
    onStart: ["starts:missing", "starts:step"],
    log,
  });
  expect(await new ConvexHttpClient(url).query(api.counters.get, { name: "starts" })).toBe(3);
  // One that fails keeps nobody from starting.
  expect(failures).toEqual(["start.mutation-failed"]);
});

test("a browser that opens the deployment's address gets to its page, and programs get its text", async () => {
  const { url, siteUrl } = await start({});
  const opened = await fetch(url, { headers: { accept: "text/html,*/*" }, redirect: "manual" });
  expect([opened.status, opened.headers.get("location")]).toEqual([302, `${siteUrl}/page/`]);
  const told = await fetch(url);
  expect([told.status, await told.text()]).toEqual([200, expect.stringContaining("deployment is running")]);
});

test("without a page a browser gets the text, too", async () => {
  const { url } = await start({ staticFolders: [] });
  const told = await fetch(url, { headers: { accept: "text/html,*/*" }, redirect: "manual" });
  expect(told.status).toBe(200);
});

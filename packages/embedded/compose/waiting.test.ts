import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, onTestFinished, test } from "vitest";
import { functionsFolder, type Sources } from "../runtime/bundle/functions.fixture.ts";
import { startBackend } from "../server.ts";
import type { Backend, BackendOptions } from "./backend-options.ts";

const adminKey = "test|key";
const which = makeFunctionReference<"query", Record<string, never>, string>("app:which");

const needsPlanet: Sources = {
  "app.ts": `import { httpActionGeneric as httpAction, queryGeneric as query } from "convex/server";
    export const planet = process.env.PLANET;
    if (planet === undefined) throw new Error("PLANET is missing");
    export const which = query({ handler: () => planet });
    export const page = httpAction(async () => new Response(planet));`,
  "http.ts": `import { httpRouter } from "convex/server";
    import { page } from "./app";
    const http = httpRouter();
    http.route({ path: "/page", method: "GET", handler: page });
    export default http;`,
};

async function start(sources: Sources, options: Partial<BackendOptions> = {}): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), "waiting-"));
  const backend = await startBackend({
    convexDir: await functionsFolder(sources),
    dataFile: join(folder, "data.sqlite"),
    port: 0,
    sitePort: 0,
    adminKey,
    ...options,
  });
  onTestFinished(async () => {
    await backend.close();
    await rm(folder, { recursive: true });
  });
  return backend;
}

async function setVariable({ url }: Backend, name: string, value: string | null): Promise<number> {
  const { status } = await fetch(`${url}/api/update_environment_variables`, {
    method: "POST",
    headers: { Authorization: `Convex ${adminKey}` },
    body: JSON.stringify({ changes: [{ name, value }] }),
  });
  return status;
}

const get = async (url: string): Promise<[number, string]> => {
  const response = await fetch(url);
  return [response.status, await response.text()];
};
const query = ({ url }: Backend): Promise<string> =>
  new ConvexHttpClient(url, { logger: false }).query(which);

test("functions that need a variable are loaded when it is set", async () => {
  const backend = await start(needsPlanet);
  expect(await get(`${backend.url}/ready`)).toEqual([503, expect.stringContaining("PLANET is missing")]);
  expect((await get(`${backend.url}/health`))[0]).toBe(200);
  await expect(query(backend)).rejects.toThrow("PLANET is missing");
  expect(await get(`${backend.siteUrl}/page`)).toEqual([503, expect.stringContaining("PLANET is missing")]);
  expect(await setVariable(backend, "OTHER", "x")).toBe(200);
  expect((await get(`${backend.url}/ready`))[0]).toBe(503);
  expect(await setVariable(backend, "PLANET", "mars")).toBe(200);
  expect((await get(`${backend.url}/ready`))[0]).toBe(200);
  expect(await query(backend)).toBe("mars");
  expect(await get(`${backend.siteUrl}/page`)).toEqual([200, "mars"]);
});

test("a changed variable reaches the top level of modules, also of those that reuse their context", async () => {
  const reuse = {
    "app.ts": `${needsPlanet["app.ts"] ?? ""}\nexport const experimental_reuseContext = true;`,
  };
  const backend = await start({ ...needsPlanet, ...reuse }, { env: { PLANET: "venus" } });
  expect(await query(backend)).toBe("venus");
  await setVariable(backend, "PLANET", "mars");
  expect(await query(backend)).toBe("mars");
});

test("a removed variable fails the runs, as their modules do", async () => {
  const backend = await start(needsPlanet);
  await setVariable(backend, "PLANET", "mars");
  expect(await query(backend)).toBe("mars");
  await setVariable(backend, "PLANET", null);
  await expect(query(backend)).rejects.toThrow("PLANET is missing");
  await setVariable(backend, "PLANET", "earth");
  expect(await query(backend)).toBe("earth");
});

test("auth.config.ts may need a variable, too", async () => {
  const backend = await start(
    {
      ...needsPlanet,
      "auth.config.ts": `export default { providers: [{ domain: process.env.ISSUER, applicationID: "app" }] };`,
    },
    { env: { PLANET: "mars" } },
  );
  expect((await get(`${backend.url}/ready`))[0]).toBe(503);
  await setVariable(backend, "ISSUER", "https://issuer.example");
  expect(await query(backend)).toBe("mars");
});

test("functions that fail without reading a variable fail the start", async () => {
  await expect(start({ "app.ts": `throw new Error("always");` })).rejects.toThrow("always");
});

test("the start fails if it may not wait", async () => {
  await expect(start(needsPlanet, { waitsForVariables: false })).rejects.toThrow("PLANET is missing");
});

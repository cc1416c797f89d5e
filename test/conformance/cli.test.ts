import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "./api.ts";
import { deployment, httpClient, uniqueName } from "./deployment.ts";

const modules = join(import.meta.dirname, "../../node_modules");
const cli = join(modules, "convex/bin/main.js");
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "conformance-cli-"));
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({ name: "p", dependencies: { convex: "*" } }),
  );
  await symlink(modules, join(project, "node_modules"));
});

afterAll(() => rm(project, { recursive: true }));

type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** `npx convex …` in a project of its own, on the deployment under test. */
function convex(...args: string[]): Promise<Ran> {
  const env = {
    PATH: process.env["PATH"],
    HOME: project,
    CONVEX_SELF_HOSTED_URL: deployment.url,
    CONVEX_SELF_HOSTED_ADMIN_KEY: deployment.adminKey,
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, ...args],
      { cwd: project, env, timeout: 30_000 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      },
    );
  });
}

test("convex run calls public and internal functions", { timeout: 60_000 }, async () => {
  const name = uniqueName();
  const ran = await convex("run", "counters:increment", JSON.stringify({ name }));
  expect([ran.code, ran.stdout.trim()], ran.stderr).toEqual([0, "1"]);
  expect((await convex("run", "counters:secretGet", JSON.stringify({ name }))).stdout.trim()).toBe("1");
  expect((await convex("run", "counters:reset", JSON.stringify({ name }))).code).toBe(0);
  expect(await httpClient().query(api.counters.get, { name })).toBe(0);
});

test("convex run as somebody", { timeout: 60_000 }, async () => {
  const ran = await convex("run", "values:whoami", "{}", "--identity", '{"subject":"dora"}');
  expect([ran.code, ran.stdout.trim()], ran.stderr).toEqual([0, '"dora"']);
});

test("convex run names the functions that there are", { timeout: 60_000 }, async () => {
  const ran = await convex("run", "counters:nothing");
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toContain("Available functions");
  expect(ran.stderr).toContain("increment");
});

test("convex function-spec describes the deployment", { timeout: 60_000 }, async () => {
  const ran = await convex("function-spec");
  expect(ran.code, ran.stderr).toBe(0);
  const spec = JSON.parse(ran.stdout) as { url: string; functions: { identifier: string }[] };
  expect(spec.url).toBe(deployment.url);
  expect(spec.functions.map(({ identifier }) => identifier)).toContain("counters.js:increment");
});

test("convex env sets what functions see", { timeout: 90_000 }, async () => {
  const name = `CONFORMANCE_${String(Date.now())}`;
  const set = await convex("env", "set", name, "blue");
  expect(set.code, set.stderr).toBe(0);
  expect((await convex("env", "list")).stdout).toContain(`${name}=blue`);
  expect(await httpClient().query(api.values.environment, { name })).toBe("blue");
  expect((await convex("env", "remove", name)).code).toBe(0);
  expect(await httpClient().query(api.values.environment, { name })).toBeNull();
});

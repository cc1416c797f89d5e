import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { start, type Started } from "../../main/deployment.fixture.ts";
import { makeProject, root, run } from "./project.ts";

/** A project that has only the queue's tarball: test/packages/fixtures/queue. */
let project: string;
let statusBefore: string;
const gitStatus = async (): Promise<string> => await run(root, "git", "status", "--porcelain", "packages");

type Look = {
  readonly status: string;
  readonly attempts: number;
  readonly text: string;
  readonly result: unknown;
};
const jobs = {
  addWorker: makeFunctionReference<"mutation", { key: string }, string>("jobs:addWorker"),
  submit: makeFunctionReference<"mutation", { kind: string; payload: string }, string>("jobs:submit"),
  look: makeFunctionReference<"query", { jobId: string }, Look>("jobs:look"),
  byExternalId: makeFunctionReference<"query", { externalId: string }, string>("jobs:byExternalId"),
  stats: makeFunctionReference<"query", Record<string, never>, object>("jobs:stats"),
  deadLetters: makeFunctionReference<"query", Record<string, never>, string[]>("jobs:deadLetters"),
  retry: makeFunctionReference<"mutation", { jobId: string }, string>("jobs:retry"),
};

const bin = (name: string): string => join(project, "node_modules/.bin", name);
const codegen = ["codegen", "--system-udfs", "--typecheck", "disable"];

beforeAll(async () => {
  statusBefore = await gitStatus();
  project = await makeProject("queue", "@gleaner/queue");
  await run(project, bin("convex"), ...codegen);
});
afterAll(async () => {
  await rm(dirname(project), { recursive: true, force: true });
});

it("packing the queue leaves the repository unchanged", async () => {
  expect(await gitStatus()).toBe(statusBefore);
});

it("the packed queue contains JavaScript and declarations, but no sources or tests", async () => {
  const files = await readdir(join(project, "node_modules/@gleaner/queue"), { recursive: true });
  const code = files.filter((file) => /\.[jt]s$/.test(file));
  expect(code.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([]);
  expect(code.filter((file) => /\.(test|fixture)\./.test(file))).toEqual([]);
  expect(files).toContain("LICENSE");
  expect(files).toContain("README.md");
});

it("Convex's own command line bundles the queue, from the tarball and from the repository's sources", async () => {
  const generated = await readdir(join(project, "convex/_generated"));
  expect(generated).toContain("api.d.ts");
  await run(root, join(root, "node_modules/.bin/convex"), ...codegen);
});

it("the queue's types check in a strict project, and refuse a module that lacks a worker function", async () => {
  await run(project, bin("tsc"), "-p", ".");
});

it("the queue's test module installs it under convex-test", async () => {
  await run(project, bin("vitest"), "run");
});

it("a worker in plain JavaScript runs jobs of the embedded backend", async () => {
  const backend = await start(
    [
      ...["packages/embedded/main.ts", "--convex", join(project, "convex")],
      ...["--data", join(project, "backend.sqlite"), "--port", "0", "--site-port", "0", "--with-parent"],
    ],
    { CONVEX_EMBEDDED_ADMIN_KEY: "secret" },
  );
  onTestFinished(async () => await end(backend));
  const url = String(backend.ready["url"]);
  const client = new ConvexHttpClient(url, { logger: false });
  const submitted = async (kind: string): Promise<string> =>
    await client.mutation(jobs.submit, { kind, payload: `${kind} payload` });
  const ended = async (jobId: string, status: string): Promise<Look> => {
    const seen = async () => await client.query(jobs.look, { jobId });
    await expect.poll(async () => (await seen()).status).toBe(status);
    return await seen();
  };

  await client.mutation(jobs.addWorker, { key: "a worker's key" });
  const worker = spawn(process.execPath, ["worker.js"], {
    cwd: project,
    env: { ...process.env, CONVEX_URL: url, WORKER_KEY: "a worker's key" },
    stdio: "inherit",
  });
  const workerEnded = new Promise((resolve) => worker.once("exit", resolve));
  onTestFinished(() => void worker.kill("SIGKILL"));

  const shout = await submitted("shout");
  expect(await ended(shout, "succeeded")).toMatchObject({ result: "SHOUT PAYLOAD", attempts: 1 });
  expect(await client.query(jobs.look, { jobId: shout })).toMatchObject({ text: "SHOUT PAYLOAD" });
  expect(await client.query(jobs.byExternalId, { externalId: "shout payload" })).toBe("succeeded");

  expect(await ended(await submitted("flaky"), "succeeded")).toMatchObject({ result: 2, attempts: 2 });

  const broken = await submitted("broken");
  expect(await ended(broken, "failed")).toMatchObject({ error: "broken" });
  expect(await client.query(jobs.deadLetters, {})).toEqual([broken]);
  expect(await client.mutation(jobs.retry, { jobId: broken })).toBe("ready");
  expect(await ended(broken, "succeeded")).toMatchObject({ result: "repaired" });

  expect(await client.query(jobs.stats, {})).toMatchObject({ workers: { online: 1 } });
  worker.kill("SIGTERM");
  expect(await workerEnded).toBe(0);
});

async function end({ process, exited }: Started): Promise<void> {
  process.kill("SIGKILL");
  await exited;
}

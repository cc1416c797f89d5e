import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { filesFolderOf } from "./open-files.ts";
import { adminKey, sha256Of, someBytes } from "./storage.fixture.ts";

const rounds = 4;
const uploadsPerRound = 30;
const writerCount = 6;
const deadline = { timeout: 60_000, interval: 50 };

const functions = {
  generateUploadUrl: makeFunctionReference<"mutation", Record<string, never>, string>(
    "files:generateUploadUrl",
  ),
  remove: makeFunctionReference<"mutation", { id: string }, null>("files:remove"),
  list: makeFunctionReference<"query", Record<string, never>, { _id: string; sha256: string }[]>(
    "files:list",
  ),
  url: makeFunctionReference<"query", { id: string }, string | null>("files:url"),
};

async function start(dataFile: string): Promise<{ child: ChildProcess; client: ConvexHttpClient }> {
  const fixture = join(import.meta.dirname, "fixtures/convex");
  const args = ["--convex", fixture, "--data", dataFile, "--port", "0", "--site-port", "0", "--with-parent"];
  const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts"), ...args], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, CONVEX_EMBEDDED_ADMIN_KEY: adminKey },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    const { url } = JSON.parse(line) as { url: string };
    return { child, client: new ConvexHttpClient(url, { logger: false }) };
  }
  throw new Error("The backend did not start");
}

/** Uploads files, deletes a third of them, and records only acknowledged changes. */
async function work(client: ConvexHttpClient, kept: Map<string, string>, gone: Set<string>): Promise<void> {
  for (let count = 0; ; count += 1) {
    const body = someBytes(1 + Math.floor(Math.random() * 150_000));
    const url = await client.mutation(functions.generateUploadUrl, {});
    const { storageId: id } = (await (await fetch(url, { method: "POST", body })).json()) as {
      storageId: string;
    };
    if (count % 3 !== 2) {
      kept.set(id, sha256Of(body));
      continue;
    }
    await client.mutation(functions.remove, { id });
    gone.add(id);
  }
}

test("after a kill during uploads and deletions, exactly the acknowledged files exist", async () => {
  const folder = await mkdtemp(join(tmpdir(), "storage-crash-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const dataFile = join(folder, "data.sqlite3");
  const kept = new Map<string, string>();
  const gone = new Set<string>();

  for (let round = 1; round <= rounds; round += 1) {
    const { child, client } = await start(dataFile);
    const writers = Array.from({ length: writerCount }, () =>
      work(client, kept, gone).catch(() => undefined),
    );
    await vi.waitFor(() => expect(kept.size).toBeGreaterThan(round * uploadsPerRound), deadline);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    await Promise.all(writers);
  }

  const { client } = await start(dataFile);
  const rows = new Map((await client.query(functions.list, {})).map(({ _id, sha256 }) => [_id, sha256]));
  for (const [id, sha256] of kept) expect(rows.get(id)).toBe(sha256);
  for (const id of gone) expect(rows.has(id)).toBe(false);
  for (const [id, sha256] of rows) {
    const response = await fetch((await client.query(functions.url, { id })) ?? "");
    expect(sha256Of(new Uint8Array(await response.arrayBuffer()))).toBe(sha256);
  }
  await vi.waitFor(
    async () => expect(await readdir(filesFolderOf(dataFile))).toHaveLength(rows.size),
    deadline,
  );
});

import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { freePorts } from "./free-port.ts";
import { type Program, run } from "./program.ts";

const root = resolve(import.meta.dirname, "../..");

/** Saves a file again and again without a change, since a watcher takes a moment to start. */
async function saveUntil(program: Program, file: string, printed: string): Promise<void> {
  const seen = program.until(printed);
  const save = (): void => void utimes(join(root, file), new Date(), new Date());
  const timer = setInterval(save, 1_000);
  save();
  await seen.finally(() => clearInterval(timer));
}

test("npm run dev restarts the parts whose files are saved, on the same data, and stops with Ctrl-C", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-dev-"));
  const port = await freePorts(3);
  const program = run("launch/dev.ts", ["--headless", "--port", String(port)], { GLEANER_DATA: folder });
  const printed = await program.until("Ctrl-C stops everything");
  const key = /sk-gleaner-[\w-]+/.exec(printed)?.[0] ?? "";

  await saveUntil(program, "packages/embedded/server.ts", "dev: the backend was restarted");
  await saveUntil(program, "main/headless.ts", "dev: the donor was restarted");
  expect(program.output()).toContain("dev: built again");

  const response = await fetch(`http://127.0.0.1:${port + 1}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  program.interrupt();
  expect(await program.ended, program.output()).toBe(0);
  await expect(fetch(`http://127.0.0.1:${port}/version`)).rejects.toThrow();
  await rm(folder, { recursive: true, force: true });
});

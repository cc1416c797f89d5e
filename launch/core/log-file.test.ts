import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startChild } from "./child.ts";
import { LogFile } from "./log-file.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function ended(log: LogFile): Promise<void> {
  log.end();
  await once(log, "finish");
}

const text = (name: string): string => readFileSync(join(folder, name), "utf8");

it("begins a new file while it is written, and keeps the latest ones", async () => {
  const log = new LogFile(join(folder, "a.log"), { maxBytes: 100, files: 3 });
  for (let line = 0; line < 1_000; line++) log.write(`line ${String(line).padStart(4, "0")}\n`);
  await ended(log);
  expect(readdirSync(folder).toSorted()).toEqual(["a.log", "a.log.1", "a.log.2"]);
  expect(text("a.log")).toContain("line 0999\n");
  expect(text("a.log.2") + text("a.log.1") + text("a.log")).toMatch(/^(line 09\d\d\n){21,30}$/);
  expect(statSync(join(folder, "a.log.1")).mode & 0o777).toBe(0o600);
});

it("goes on with the file of an earlier start, and counts its bytes", async () => {
  writeFileSync(join(folder, "a.log"), "x".repeat(95));
  const log = new LogFile(join(folder, "a.log"), { maxBytes: 100, files: 3 });
  log.write("four");
  log.write("more");
  await ended(log);
  expect([text("a.log.1"), text("a.log")]).toEqual([`${"x".repeat(95)}four`, "more"]);
});

it("says once that it cannot be written, and goes on", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const log = new LogFile(join(folder, "missing", "a.log"));
  log.write("a");
  log.write("b");
  await ended(log);
  expect(said).toHaveBeenCalledTimes(1);
  said.mockRestore();
});

it("bounds the log of a child that prints without end", async () => {
  const logFile = join(folder, "child.log");
  const line = "x".repeat(1_000);
  const script = `console.log('{"ready":true}'); setInterval(() => { for (let i = 0; i < 2000; i++) console.error("${line}"); }, 1)`;
  const child = await startChild({
    name: "flood",
    command: process.execPath,
    args: ["-e", script],
    logFile,
    readyWithinMs: 20_000,
  });
  const bytes = (): number =>
    readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  await expect.poll(() => readdirSync(folder).length).toBe(4);
  const oldest = statSync(join(folder, "child.log.3")).ino;
  await expect.poll(() => statSync(join(folder, "child.log.3")).ino).not.toBe(oldest);
  await child.stop();
  expect(bytes()).toBeLessThan(21 * 1024 * 1024);
});

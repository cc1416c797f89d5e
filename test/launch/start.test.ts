import { execFile } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { close, freePorts, listen } from "./free-port.ts";
import { run, type Program } from "./program.ts";

const shell = promisify(execFile);
const ready = "Ctrl-C stops everything";
const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().min(1) }) })).length(1),
  usage: z.object({ prompt_tokens: z.number().positive(), completion_tokens: z.number().positive() }),
});

let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-start-"));
  port = await freePorts(3);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function start(...args: string[]): Program {
  return run("start.ts", ["--headless", "--port", String(port), ...args], { GLEANER_DATA: folder });
}

async function stop(program: Program): Promise<void> {
  program.interrupt();
  expect(await program.ended, program.output()).toBe(0);
}

/** The curl command as it was printed, run by a shell. */
async function runPrintedCurl(output: string): Promise<z.infer<typeof completion>> {
  const lines = output.split("\n").map((line) => line.trim());
  const from = lines.findIndex((line) => line.startsWith("curl "));
  const to = lines.findIndex((line, index) => index >= from && line.startsWith("-d "));
  const command = lines.slice(from, to + 1).join("\n");
  const { stdout } = await shell("sh", ["-c", `${command} --silent --show-error`], { timeout: 60_000 });
  return completion.parse(JSON.parse(stdout));
}

function printedKey(output: string): string {
  return /sk-gleaner-[\w-]+/.exec(output)?.[0] ?? "";
}

test("the printed steps work: curl answers, the console opens, Ctrl-C stops, a second start finds its data", async () => {
  const first = start("--organization", "Acme");
  const printed = await first.until(ready);
  expect(printed).toContain("Acme");
  expect(printed).toContain(folder);

  const answer = await runPrintedCurl(printed);
  expect(answer.choices[0]?.message.content).toContain("Lyon");

  const link = /http:\S+#signin=\S+/.exec(printed)?.[0] ?? "";
  const page = await fetch(link.split("#")[0] ?? "");
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<title>");
  await stop(first);

  const second = start();
  const again = await second.until(ready);
  expect(again).toContain("Acme");
  expect(printedKey(again)).toBe(printedKey(printed));
  await runPrintedCurl(again);
  await stop(second);
});

test("the data folder is its owner's alone", async () => {
  expect((await stat(folder)).mode & 0o077).toBe(0);
  expect((await stat(join(folder, "admin-key"))).mode & 0o077).toBe(0);
});

test("a setup that was cut off is completed, on the same organization", async () => {
  await rm(join(folder, "installation.json"));
  const program = start("--organization", "Another name");
  const printed = await program.until(ready);
  expect(printed).toContain("Acme");
  await runPrintedCurl(printed);
  await stop(program);
});

test("a damaged installation.json is named, with what to do", async () => {
  await writeFile(join(folder, "installation.json"), '{"version": 1, "organ');
  const program = start();
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("installation.json is not what Gleaner wrote");
  expect(program.output()).toContain("Delete that one file");
  await rm(join(folder, "installation.json"));
});

test("a database that is not one is named, with what to do", async () => {
  const other = await mkdtemp(join(tmpdir(), "gleaner-broken-"));
  await writeFile(
    join(other, "backend.sqlite"),
    "this is not a database, however long one looks at it ".repeat(200),
  );
  const program = run("start.ts", ["--headless", "--port", String(port)], { GLEANER_DATA: other });
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("backend.sqlite");
  await rm(other, { recursive: true, force: true });
});

test.each([0, 1, 2])("a taken port (the first + %i) is named, with what to do", async (offset) => {
  const server = await listen(port + offset);
  const program = start();
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain(`Port ${port + offset} is taken`);
  expect(program.output()).toContain("--port");
  await close(server);
});

test("an unknown option gets the usage", async () => {
  const program = start("--colour");
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("--organization S");
});

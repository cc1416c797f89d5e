import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askLine } from "../../command/ask-person.ts";
import { collectErrors, serve } from "../server.fixture.ts";
import { runTable } from "./run.ts";

vi.mock(import("../../command/ask-person.ts"), async (original) => ({
  ...(await original()),
  askLine: vi.fn(async () => await Promise.resolve("no")),
}));

// Nobody waits in a test for the pause before another try.
vi.mock(import("node:timers/promises"), async (original) => ({
  ...(await original()),
  setTimeout: async () => await Promise.resolve(undefined as never),
}));

const isTerminal = Object.getOwnPropertyDescriptor(process.stdin, "isTTY");
let folder: string;
let server: Server;
/** Whether the server lets the key ask. */
let allowed: boolean;
/** How many calls about rows find no server. */
let cutOff: number;
let said: () => string;

beforeEach(async () => {
  [allowed, cutOff] = [true, 0];
  folder = await mkdtemp(join(tmpdir(), "gleaner-run-"));
  await writeFile(join(folder, "table.csv"), "id,text\n1,one\n2,two\n");
  server = await serve(({ url, socket }, response) => {
    if (url === "/v1/models") response.end('{"data":[{"id":"m"}]}');
    else if (cutOff-- > 0) socket.destroy();
    else if (!allowed)
      response
        .writeHead(403)
        .end('{"error":{"message":"Not these devices.","code":"requirements_not_allowed"}}');
    else if (url === "/v1/chat/completions") response.end('{"choices":[{"message":{"content":"Fine."}}]}');
    else response.writeHead(404).end('{"error":{"message":"No.","code":"not_found"}}');
  });
  Object.defineProperty(process.stdin, "isTTY", { value: true, configurable: true });
  said = collectErrors();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  if (isTerminal === undefined) Reflect.deleteProperty(process.stdin, "isTTY");
  else Object.defineProperty(process.stdin, "isTTY", isTerminal);
  server.close();
  await rm(folder, { recursive: true });
});

const run = async (...more: readonly string[]): Promise<void> => {
  const table = join(folder, "table.csv");
  await runTable.run([table, "--template", "{{text}}", "--first", "1", ...more]);
};

it("asks a person about the other rows once the first answers are shown", async () => {
  vi.mocked(askLine).mockImplementation(async (question) => {
    expect(said()).toContain("1  Fine.");
    expect(question).toContain("Submit the other 1 rows?");
    return await Promise.resolve("no");
  });
  await expect(run()).rejects.toThrow("were not submitted");
  expect(vi.mocked(askLine)).toHaveBeenCalledOnce();
});

it("says once that the server cannot be reached, however many rows ask", async () => {
  vi.spyOn(console, "log").mockReturnValue(undefined);
  cutOff = 2;
  await run("--first", "2");
  expect(said().match(/Trying again until it answers/g)).toHaveLength(1);
});

it("refuses options with --resume, which the run has from its beginning", async () => {
  await expect(runTable.run(["--resume", join(folder, "x.csv"), "--model=other"])).rejects.toThrow(
    /^--resume continues a run with the options that it began with, without --model\./,
  );
});

it("leaves nothing to continue if its key may not require devices", async () => {
  allowed = false;
  await expect(run("--requires", "gpu=yes")).rejects.toThrow(
    /^None of the first rows.*\nNot these devices\.$/,
  );
  expect(await readdir(folder)).toEqual(["table.csv"]);
});

it("asks nobody with --json, since the first answers are not shown", async () => {
  await expect(run("--json")).rejects.toThrow("were not submitted");
  expect(vi.mocked(askLine)).not.toHaveBeenCalled();
  expect(said()).toBe("");
});

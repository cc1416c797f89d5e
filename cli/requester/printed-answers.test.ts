import type { Server } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batch } from "./batch.ts";
import { chat } from "./chat.ts";
import { jobs } from "./jobs.ts";
import { batchJson, serve } from "./server.fixture.ts";

/** Colors, in the seven-bit and in the eight-bit form of terminals. */
const hostile = "a\tb\u001b[31m\u009b31m";
const piece = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const line = `${JSON.stringify({ text: hostile })}\n`;

const answers: Readonly<Record<string, string>> = {
  "/v1/models": '{"data":[{"id":"m"}]}',
  "/v1/jobs/j/result": JSON.stringify({ choices: [{ message: { content: hostile } }] }),
  "/v1/batches/b": batchJson("completed", { total: 1, completed: 1 }),
  "/v1/files/f/content": line,
  "/v1/chat/completions": piece("Os"),
};

const isTerminal = Object.getOwnPropertyDescriptor(process.stdout, "isTTY");
let server: Server;
/** The end of a streamed answer. */
let end: string;
let printed: string;

beforeEach(async () => {
  end = "";
  server = await serve(({ method, url = "" }, response) => {
    response.end(`${answers[url] ?? ""}${method === "POST" ? end : ""}`);
  });
  printed = "";
  vi.spyOn(console, "log").mockImplementation((text: string) => {
    printed += `${text}\n`;
  });
  vi.spyOn(process.stdout, "write").mockImplementation((text: unknown, done?: unknown) => {
    printed += typeof text === "string" ? text : Buffer.from(text as Uint8Array).toString();
    if (typeof done === "function") (done as () => void)();
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  if (isTerminal === undefined) Reflect.deleteProperty(process.stdout, "isTTY");
  else Object.defineProperty(process.stdout, "isTTY", isTerminal);
  server.close();
});

const printTo = (terminal: boolean): void => {
  Object.defineProperty(process.stdout, "isTTY", { value: terminal, configurable: true });
};

it.each([
  ["a job's answer", () => jobs.run(["result", "j"]), `${hostile}\n`, "a b�[31m�31m\n"],
  ["a batch's answers", () => batch.run(["results", "b"]), line, line.replaceAll("\u009b", "\\u009b")],
])("prints %s to a file as it is, and makes it visible on a terminal", async (_, run, whole, visible) => {
  printTo(false);
  await run();
  expect(printed).toBe(whole);
  printed = "";
  printTo(true);
  await run();
  expect(printed).toBe(visible);
});

it("fails if a streamed answer ends before its end", async () => {
  await expect(chat.run(["Who?"])).rejects.toThrow("broke off");
  expect(printed).toBe("Os\n");
  end = "data: [DONE]\n\n";
  await chat.run(["Who?"]);
  expect(printed).toBe("Os\nOs\n");
});

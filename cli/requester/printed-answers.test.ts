import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batch } from "./batch.ts";
import { chat } from "./chat.ts";
import { jobs } from "./jobs.ts";

/** Colors, in the seven-bit and in the eight-bit form of terminals. */
const hostile = "a\tb\u001b[31m\u009b31m";
const piece = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const line = `${JSON.stringify({ text: hostile })}\n`;

const answers: Readonly<Record<string, string>> = {
  "/v1/models": '{"data":[{"id":"m"}]}',
  "/v1/jobs/j/result": JSON.stringify({ choices: [{ message: { content: hostile } }] }),
  "/v1/batches/b": JSON.stringify({
    id: "b",
    status: "completed",
    endpoint: "/v1/chat/completions",
    created_at: 1,
    expires_at: 2,
    output_file_id: "f",
    error_file_id: null,
    request_counts: { total: 1, completed: 1, failed: 0 },
    errors: null,
  }),
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
  server = createServer(({ method, url = "" }, response) => {
    response.end(`${answers[url] ?? ""}${method === "POST" ? end : ""}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("GLEANER_BASE_URL", `http://127.0.0.1:${String(port)}`);
  vi.stubEnv("GLEANER_API_KEY", "key");
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

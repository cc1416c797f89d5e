import type { Server, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { chat } from "./chat.ts";
import { collectErrors, serve } from "./server.fixture.ts";

const job = {
  id: "j",
  object: "job",
  status: "queued",
  waits_for: null,
  endpoint: "/v1/chat/completions",
  model: "m",
  created_at: 1,
  started_at: null,
  ended_at: null,
  price_micro: null,
  error: null,
};

/** A server that answers a call that waits only once its job is canceled. `refuse`: what it does with the other calls. */
let server: Server;
let refuse: ((response: ServerResponse) => void) | null;
let printed: () => string;
let waiting: ServerResponse | undefined;
let asked: { readonly url: string | undefined; readonly key: string | undefined }[];

beforeEach(async () => {
  asked = [];
  refuse = null;
  printed = collectErrors();
  server = await serve(({ url, headers }, response) => {
    const key = headers["idempotency-key"];
    if (url !== "/v1/models")
      asked.push({ url, ...(typeof key === "string" ? { key } : { key: undefined }) });
    if (url === "/v1/models") response.end('{"data":[{"id":"m"}]}');
    else if (headers["prefer"]?.includes("wait") === true) waiting = response;
    else if (refuse !== null) refuse(response);
    else {
      if (url?.endsWith("/cancel") === true)
        waiting?.writeHead(409).end('{"error":{"message":"Canceled.","code":"job_canceled"}}');
      // The other call is answered first.
      setTimeout(() => response.end(JSON.stringify(job)), 100);
    }
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
});

/** How the command ends after Ctrl-C. */
async function interrupted(): Promise<string> {
  const exited = new Promise<string>((resolve) => {
    vi.spyOn(process, "exit").mockImplementation((code) => {
      resolve(`exit ${String(code)}`);
      return undefined as never;
    });
  });
  const failed = chat.run(["Who?", "--json"]).then(
    () => "printed",
    () => "failed",
  );
  await expect.poll(() => asked.length).toBe(1);
  process.emit("SIGINT");
  return await Promise.race([exited, failed]);
}

it("cancels its job on Ctrl-C if it prints the whole answer", async () => {
  expect(await interrupted()).toBe("exit 130");
  const [first, again, canceled] = asked;
  expect(again).toEqual(first);
  expect(canceled?.url).toBe("/v1/jobs/j/cancel");
  expect(printed()).toBe("Canceling…\n");
});

it.each([
  ["is silent", () => undefined],
  [
    "asks for patience",
    (response: ServerResponse) =>
      response
        .writeHead(429, { "retry-after": "50" })
        .end('{"error":{"message":"Wait.","code":"rate_limit_exceeded"}}'),
  ],
])("ends soon after Ctrl-C if the server %s, and says so", async (_name, refusal) => {
  refuse = refusal;
  // Nobody waits in a test for the few seconds of the last calls.
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(ms <= 5_000 ? 50 : ms));
  expect(await interrupted()).toBe("exit 130");
  expect(printed()).toMatch(/^Canceling…\n.*may go on/);
});

import type { RequestListener, Server, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
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

describe("says once to whoever reads no terminal why it waits", () => {
  const words = "Waiting: no device that donates meets its requirements.\n";
  const queued = JSON.stringify({ ...job, waits_for: "no_match" });

  beforeEach(() => {
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    vi.spyOn(console, "log").mockReturnValue(undefined);
  });

  async function answerWith(listener: RequestListener): Promise<void> {
    const other = await serve((request, response) => {
      if (request.url === "/v1/models") response.end('{"data":[{"id":"m"}]}');
      else listener(request, response);
    });
    onTestFinished(() => void other.close());
  }

  it("before a stream", async () => {
    // Nobody waits in a test for the seconds before and between the questions.
    const { setTimeout: real } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation((...[step, ms, ...more]: Parameters<typeof real>) =>
      real(step, ms === 5_000 || ms === 15_000 ? 20 : ms, ...more),
    );
    let looks = 0;
    let answer: ServerResponse | null = null;
    await answerWith(({ url }, response) => {
      if (url === "/v1/chat/completions") {
        answer = response.writeHead(200, { "x-gleaner-job": "j" });
        // The server names the role at once.
        answer.write('data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n');
        return;
      }
      response.end(queued);
      if (++looks === 3) answer?.end('data: {"choices":[{"delta":{"content":"Fine."}}]}\n\ndata: [DONE]\n\n');
    });
    await chat.run(["Who?"]);
    expect(printed()).toBe(words);
  });

  it("before a whole answer", async () => {
    let asked = 0;
    await answerWith((_, response) => {
      if (++asked < 3) response.writeHead(202).end(queued);
      else response.end("{}");
    });
    await chat.run(["Who?", "--json"]);
    expect(printed()).toBe(words);
  });
});

it.each([
  [["--max-tokens", "0"], '--max-tokens must be a whole number above 0, not "0".'],
  [["--votes", "2.5"], '--votes must be a whole number above 0, not "2.5".'],
  [["--temperature", "hot"], '--temperature must be a number such as 0.7, not "hot".'],
])("says which numbers %j may be", async (flags, message) => {
  await expect(chat.run(["Who?", ...flags])).rejects.toThrow(message);
});

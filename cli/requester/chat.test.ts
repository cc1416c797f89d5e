import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { chat } from "./chat.ts";

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

/** A server that answers a call that waits only once its job is canceled. */
let server: Server;
let waiting: ServerResponse | undefined;
let asked: { readonly url: string | undefined; readonly key: string | undefined }[];

beforeEach(async () => {
  asked = [];
  server = createServer(({ url, headers }, response) => {
    const key = headers["idempotency-key"];
    if (url !== "/v1/models")
      asked.push({ url, ...(typeof key === "string" ? { key } : { key: undefined }) });
    if (url === "/v1/models") response.end('{"data":[{"id":"m"}]}');
    else if (headers["prefer"]?.includes("wait") === true) waiting = response;
    else {
      if (url?.endsWith("/cancel") === true)
        waiting?.writeHead(409).end('{"error":{"message":"Canceled.","code":"job_canceled"}}');
      // The other call is answered first.
      setTimeout(() => response.end(JSON.stringify(job)), 100);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("GLEANER_BASE_URL", `http://127.0.0.1:${String(port)}`);
  vi.stubEnv("GLEANER_API_KEY", "key");
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
});

it("cancels its job on Ctrl-C if it prints the whole answer", async () => {
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
  expect(await Promise.race([exited, failed])).toBe("exit 130");
  const [first, again, canceled] = asked;
  expect(again).toEqual(first);
  expect(canceled?.url).toBe("/v1/jobs/j/cancel");
});

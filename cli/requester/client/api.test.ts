import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { Api } from "./api.ts";
import { modelList } from "./wire.ts";

let server: Server;

afterEach(() => server.close());

async function apiWith(answer: RequestListener): Promise<Api> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return new Api({ url: `http://127.0.0.1:${port}/v1`, apiKey: "key", pin: null });
}

const error = (code: string) => JSON.stringify({ error: { message: "No.", code } });

it("waits as long as the server asks, and tries again", async () => {
  let calls = 0;
  const api = await apiWith((request, response) => {
    calls += 1;
    expect([request.url, request.headers.authorization]).toEqual(["/v1/models", "Bearer key"]);
    if (calls < 3) response.writeHead(429, { "retry-after": "0" }).end(error("rate_limit_exceeded"));
    else response.end('{"data":[{"id":"m"}]}');
  });
  expect(await api.get("/models", modelList)).toEqual({ data: [{ id: "m" }] });
  expect(calls).toBe(3);
});

it("does not try again where that does not help, and says what does", async () => {
  let calls = 0;
  const api = await apiWith((_, response) => {
    calls += 1;
    response.writeHead(429, { "retry-after": "0" }).end(error("insufficient_quota"));
  });
  const refusal = { status: 429, code: "insufficient_quota", exitCode: 1, message: /^No\. .*administrator/ };
  await expect(api.get("/models", modelList)).rejects.toMatchObject({
    ...refusal,
    message: expect.stringMatching(refusal.message),
  });
  expect(calls).toBe(1);
});

it.each([404, 200])("says that something else answers there, with status %d", async (status) => {
  const api = await apiWith((_, response) => response.writeHead(status).end("<html>"));
  await expect(api.get("/models", modelList)).rejects.toThrow(/right address/);
});

it("says that the server cannot be reached, and how to use another server", async () => {
  const api = await apiWith(() => undefined);
  server.close();
  await expect(api.get("/models", modelList)).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/cannot be reached: .*gleaner login --url/),
  });
});

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { sendWebResponse } from "./web-response.ts";

/** Serves a response once. Resolves to whether its client gets the whole body. */
async function isServedWhole(response: Response): Promise<boolean> {
  const server = createServer((_, outgoing) => {
    void sendWebResponse(response, outgoing, new AbortController().signal);
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return whole.equals(await (await fetch(`http://127.0.0.1:${port}`)).bytes());
  } finally {
    server.close();
  }
}

const freed = vi.spyOn(ArrayBuffer.prototype, "transfer");
afterEach(() => void freed.mockClear());

const chunkBytes = 512 * 1024;
const chunks = (): Uint8Array<ArrayBuffer>[] =>
  [1, 2, 3, 4, 5, 6].map((value) => new Uint8Array(chunkBytes).fill(value));

/** What a client has to get. */
const whole = Buffer.concat(chunks());

test("the memory of chunks that a body gives away is given back once they are sent", async () => {
  const source = chunks();
  const body = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const next = source.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
  expect(await isServedWhole(new Response(body))).toBe(true);
  expect(freed.mock.calls).toEqual(chunks().map(() => [0]));
});

test("a body that keeps its chunks still has them after they were sent", async () => {
  const source = chunks();
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = source[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  expect(await isServedWhole(new Response(body))).toBe(true);
  expect(whole.equals(Buffer.concat(source))).toBe(true);
  expect(freed).not.toHaveBeenCalled();
});

test("a body whose headers cannot be sent is canceled", async () => {
  const cancel = vi.fn();
  const response = new Response(new ReadableStream({ cancel }));
  const outgoing = {
    req: { method: "GET" },
    flushHeaders: () => {
      throw new Error("The headers are sent already");
    },
  } as unknown as ServerResponse;
  const sent = sendWebResponse(response, outgoing, new AbortController().signal);
  await expect(sent).rejects.toThrow("sent already");
  expect(cancel).toHaveBeenCalledOnce();
});

import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { maxPipelined } from "../../admission/anonymous-limits.ts";
import { Refusals } from "../../admission/refusals.ts";
import { openListener } from "./listener.ts";

async function listening(starting: RequestListener, perAddress: number) {
  const refusals = new Refusals();
  const bounds = { perAddress, isBehindProxy: false, refusals };
  const { server, port } = await openListener({ host: "127.0.0.1", port: 0, starting, bounds });
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    refusals,
    open: async () => {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => undefined);
      let heard = "";
      socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
      await once(socket, "connect");
      return { socket, heard: () => heard };
    },
  };
}

const get = "GET /version HTTP/1.1\r\nHost: x\r\n\r\n";
const patience = { timeout: 10_000 };

test("an address with too many connections is told so, until it closes one", async () => {
  const { open, refusals } = await listening((_, response) => response.end("here"), 2);
  const [first, second] = [await open(), await open()];
  first.socket.write(get);
  second.socket.write(get);
  await expect.poll(() => second.heard(), patience).toContain("here");
  const third = await open();
  third.socket.write(get);
  await expect
    .poll(() => third.heard(), patience)
    .toContain("Too many connections from this address. Close some");
  expect(third.heard()).toMatch(/^HTTP\/1\.1 429 /);
  expect(third.heard()).toMatch(/Retry-After: 3/i);
  expect(refusals.of("address")).toBe(1);
  first.socket.destroy();
  await expect
    .poll(async () => {
      const next = await open();
      next.socket.write(get);
      await once(next.socket, "data");
      next.socket.destroy();
      return next.heard();
    }, patience)
    .toContain("here");
});

test("a connection with many unanswered requests is cut, and few of them are handled", async () => {
  let handled = 0;
  const { open, refusals } = await listening(() => (handled += 1), 10);
  const { socket } = await open();
  const closed = once(socket, "close");
  socket.write(get.repeat(1_000));
  await closed;
  expect(handled).toBe(maxPipelined);
  expect(refusals.of("pipelined")).toBe(1);
});

test("requests one after the other on one connection are not limited", async () => {
  let handled = 0;
  const { open } = await listening((_, response) => {
    handled += 1;
    response.end("here");
  }, 10);
  const { socket, heard } = await open();
  for (let n = 1; n <= 20; n += 1) {
    socket.write(get);
    await expect.poll(() => heard().split("here").length, { ...patience, interval: 1 }).toBe(n + 1);
  }
  expect(handled).toBe(20);
});

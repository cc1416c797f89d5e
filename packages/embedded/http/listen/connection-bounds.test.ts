import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { maxPipelined } from "../../admission/anonymous-limits.ts";
import { ManualTurns } from "../../admission/manual-turns.fixture.ts";
import { Refusals } from "../../admission/refusals.ts";
import { Turns } from "../../admission/turns.ts";
import { openListener } from "./listener.ts";

async function listening(starting: RequestListener, perAddress: number, turns = new Turns()) {
  const refusals = new Refusals();
  const bounds = { perAddress, isBehindProxy: false, refusals, turns };
  const { server, port } = await openListener({ host: "127.0.0.1", port: 0, starting, bounds });
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    server,
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
const patience = { timeout: 60_000 };

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

test("few requests of one connection are handled at a time, and all are answered in order", async () => {
  const handled: ServerResponse[] = [];
  const { open } = await listening((_, response) => handled.push(response), 10);
  const { socket, heard } = await open();
  const many = 1_000;
  socket.write(get.repeat(many));
  for (let n = 0; n < many; n += 1) {
    await expect.poll(() => handled.length, { ...patience, interval: 1 }).toBeGreaterThan(n);
    expect(handled.length).toBeLessThanOrEqual(n + maxPipelined);
    handled[n]?.end(`answer ${String(n)};`);
  }
  const expected = Array.from({ length: many }, (_, n) => `answer ${String(n)};`);
  await expect.poll(() => heard().match(/answer \d+;/g)?.length, patience).toBe(many);
  expect(heard().match(/answer \d+;/g)).toEqual(expected);
  expect(handled).toHaveLength(many);
});

test.each([
  ["requests", get],
  ["requests without Host", "GET / HTTP/1.1\r\n\r\n"],
  ["requests with an expectation", "GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n"],
  ["bodies in chunks of one byte", "1\r\nx\r\n"],
])("%s that arrive at once are parsed in slices, each in a turn of its own", async (_, part) => {
  const turns = new ManualTurns();
  let bodyBytes = 0;
  const { open, server } = await listening(
    (request) => request.on("data", (chunk: Buffer) => (bodyBytes += chunk.length)),
    10,
    turns,
  );
  let parsed = 0;
  for (const event of ["request", "checkExpectation"]) server.on(event, () => (parsed += 1));
  const { socket } = await open();
  if (part.startsWith("1")) {
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    await expect.poll(() => parsed, patience).toBe(1);
  }
  socket.write(part.repeat(Math.ceil(60_000 / part.length)));
  await expect.poll(() => turns.waiting, patience).toBeGreaterThan(0);
  const most = Math.ceil(4_096 / part.length);
  for (let turn = 0; turn < 5; turn += 1) {
    const before = parsed + bodyBytes;
    turns.next();
    await sleep(20);
    expect(parsed + bodyBytes - before).toBeLessThanOrEqual(most);
  }
  expect(parsed + bodyBytes).toBeGreaterThan(1);
});

test("an ordinary request on an idle connection does not wait for the turns of others", async () => {
  const turns = new ManualTurns();
  const { open } = await listening((_, response) => response.end("here"), 10, turns);
  const { socket, heard } = await open();
  socket.write(get);
  await expect.poll(() => heard(), patience).toContain("here");
});

test.each([
  ["without Host", "GET / HTTP/1.1\r\n\r\n", "400", "Send one header Host"],
  ["with two hosts", "GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n", "400", "Send one header Host"],
  [
    "with an unknown expectation",
    "GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n",
    "417",
    "Only 100-continue",
  ],
])("a request %s ends the connection with a reason", async (_, head, status, reason) => {
  let handled = 0;
  const { open } = await listening(() => (handled += 1), 10);
  const { socket, heard } = await open();
  const closed = once(socket, "close");
  socket.write(head.repeat(1_000));
  await closed;
  expect(heard().match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
  expect(heard()).toContain(reason);
  expect(handled).toBe(0);
});

test("a client that asks to continue is answered as usual", async () => {
  const { open } = await listening((_, response) => response.end("here"), 10);
  const { socket, heard } = await open();
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx");
  await expect.poll(() => heard(), patience).toMatch(/^HTTP\/1.1 100 [^]*here/);
});

test("large bodies arrive whole, with requests before and after them", async () => {
  const sizes: number[] = [];
  const { open } = await listening((request, response) => {
    let size = 0;
    request.on("data", (chunk: Buffer) => (size += chunk.length));
    request.on("end", () => {
      sizes.push(size);
      response.end(`${String(size)} bytes;`);
    });
  }, 10);
  const { socket, heard } = await open();
  const post = (bytes: number): string =>
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(bytes)}\r\n\r\n${"x".repeat(bytes)}`;
  const chunked = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${"5\r\nhello\r\n".repeat(9_999)}0\r\n\r\n`;
  socket.write(get + post(3_000_000) + get + post(10) + chunked + post(100_000) + get);
  await expect.poll(() => heard().match(/bytes;/g)?.length, patience).toBe(7);
  expect(sizes).toEqual([0, 3_000_000, 0, 10, 49_995, 100_000, 0]);
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

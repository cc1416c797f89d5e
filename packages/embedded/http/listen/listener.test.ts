import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Refusals } from "../../admission/refusals.ts";
import { Turns } from "../../admission/turns.ts";
import { isUploadPath } from "../api/api-handler.ts";
import { openListener } from "./listener.ts";

const minute = 60_000;
const patience = { timeout: 60_000 };

/** A listener with a clock that the test controls. */
async function listening() {
  let now = 0;
  let checks = 0;
  let received = 0;
  const answer: RequestListener = (request, response) => {
    request.on("data", (chunk: Buffer) => (received += chunk.length));
    request.on("end", () => response.end("taken"));
    request.on("error", () => undefined);
  };
  const { server, port } = await openListener({
    host: "127.0.0.1",
    port: 0,
    starting: answer,
    isUpload: isUploadPath,
    bounds: { perAddress: 100, isBehindProxy: false, refusals: new Refusals(), turns: new Turns() },
    bodyTimes: {
      totalMs: 5 * minute,
      idleMs: minute,
      checkEveryMs: 5,
      now: () => {
        checks += 1;
        return now;
      },
    },
  });
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  /** Waits for two checks: the first may have begun earlier. */
  const checked = (): Promise<void> => {
    const until = checks + 2;
    return expect.poll(() => checks, patience).toBeGreaterThanOrEqual(until);
  };
  return {
    received: () => received,
    pass: async (ms: number) => {
      await checked();
      now += ms;
      await checked();
    },
    /** Sends the head of a request; the test sends its body. */
    begin: async (path: string, bytes: number) => {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      let heard = "";
      socket.on("data", (data) => (heard += data.toString("latin1")));
      socket.on("error", () => undefined);
      await once(socket, "connect");
      const before = received;
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(bytes)}\r\n\r\n-`);
      await expect.poll(() => received, patience).toBe(before + 1);
      return { socket, heard: () => heard, closed: once(socket, "close") };
    },
  };
}

test.each(["/api/storage/upload?token=t", "/api/1.48.0/import/upload_part?partNumber=1"])(
  "an upload to %s may take any time while bytes keep arriving",
  async (path) => {
    const { begin, pass, received } = await listening();
    const { socket, heard } = await begin(path, 11);
    for (let sent = 1; sent <= 10; sent++) {
      await pass(0.9 * minute);
      socket.write("-");
      await expect.poll(received, patience).toBe(sent + 1);
    }
    await expect.poll(heard, patience).toMatch(/^HTTP\/1\.1 200 [^]*taken/);
  },
);

test("a stalled upload is cut", async () => {
  const { begin, pass } = await listening();
  const { heard, closed } = await begin("/api/storage/upload", 100);
  await pass(1.1 * minute);
  await closed;
  expect(heard()).toMatch(/^HTTP\/1\.1 408 /);
});

test("any other request must arrive in time, even if bytes keep arriving", async () => {
  const { begin, pass, received } = await listening();
  const { socket, heard, closed } = await begin("/api/mutation", 100);
  for (let sent = 1; sent <= 5; sent++) {
    await pass(0.9 * minute);
    socket.write("-");
    await expect.poll(received, patience).toBe(sent + 1);
  }
  await pass(0.9 * minute);
  await closed;
  expect(heard()).toMatch(/^HTTP\/1\.1 408 /);
});

test("a connection with complete requests is not cut", async () => {
  const { begin, pass } = await listening();
  const { socket, heard } = await begin("/api/mutation", 1);
  await expect.poll(heard, patience).toContain("taken");
  await pass(10 * minute);
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => heard().match(/ 200 /g)?.length, patience).toBe(2);
});

/** A listener that gives headers a third of a second. */
async function hurried() {
  const { server, port } = await openListener({
    host: "127.0.0.1",
    port: 0,
    starting: (_, response) => response.end("taken"),
    headerTimes: { withinMs: 300, checkEveryMs: 50 },
    bounds: { perAddress: 100, isBehindProxy: false, refusals: new Refusals(), turns: new Turns() },
  });
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  let heard = "";
  socket.on("data", (data) => (heard += data.toString("latin1")));
  socket.on("error", () => undefined);
  await once(server, "connection");
  return { socket, heard: () => heard };
}

test("a request that arrived while the process was blocked is answered", async () => {
  const { socket, heard } = await hurried();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const until = performance.now() + 1_000;
  while (performance.now() < until);
  await expect.poll(heard, patience).toContain("taken");
});

test("headers must arrive in time", async () => {
  const { socket, heard } = await hurried();
  socket.write("GET / HTTP/1.1\r\nHost:");
  await expect.poll(heard, patience).toMatch(/^HTTP\/1\.1 408 /);
});

import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { get, request } from "node:https";
import { connect as connectPlain } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Refusals } from "../../admission/refusals.ts";
import { Turns } from "../../admission/turns.ts";
import { certificateFiles } from "./certificate.fixture.ts";
import { openListener } from "./listener.ts";
import { openTlsFiles, type TlsOptions } from "./tls-files.ts";

const patience = { timeout: 60_000 };
const otherAddress = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

async function listening(files: TlsOptions, perAddress = 100) {
  const failures: unknown[] = [];
  const tls = openTlsFiles(files, (error) => failures.push(error), 20);
  const { server, port, close } = await openListener({
    host: "0.0.0.0",
    port: 0,
    tls,
    bounds: { perAddress, isBehindProxy: false, refusals: new Refusals(), turns: new Turns() },
    starting: (incoming, response) => {
      void text(incoming).then((body) =>
        response.end(`${"encrypted" in incoming.socket ? "tls" : "plain"} ${body}`),
      );
    },
  });
  onTestFinished(async () => {
    tls.close();
    await close(0);
  });
  return { server, port, close, failures };
}

async function getSecurely(port: number, ca: string): Promise<string> {
  const asked = get({ port, host: "127.0.0.1", ca, agent: false });
  const [response] = (await once(asked, "response")) as [NodeJS.ReadableStream];
  return text(response);
}

test("both kinds of clients on this machine are answered: with TLS, and without it over loopback", async () => {
  const files = await certificateFiles();
  const { port } = await listening(files);
  expect(await getSecurely(port, files.cert)).toBe("tls ");
  const plain = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "x".repeat(100_000) });
  expect(await plain.text()).toBe(`plain ${"x".repeat(100_000)}`);
});

test.skipIf(otherAddress === undefined)("others are told to use https, and are not served", async () => {
  const { port, server } = await listening(await certificateFiles());
  let served = 0;
  server.on("request", () => (served += 1));
  // From an address of this machine that is not loopback, as from another computer.
  const answer = await fetch(`http://${otherAddress ?? ""}:${port}/secret`);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("https://")]);
  expect(served).toBe(0);
});

test("WebSockets pass through TLS, with bytes counted", async () => {
  const files = await certificateFiles();
  const { port, server } = await listening(files);
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (ws) =>
      ws.on("message", (data: Buffer) => ws.send(`${data.toString()} ${request.socket.bytesRead > 100}`)),
    );
  });
  const client = new WebSocket(`wss://127.0.0.1:${port}/`, { ca: files.cert });
  await once(client, "open");
  client.send("hello");
  const [said] = (await once(client, "message")) as [Buffer];
  expect(said.toString()).toBe("hello true");
  client.terminate();
});

test("the connections of one address are bounded with TLS, too", async () => {
  const files = await certificateFiles();
  const { port } = await listening(files, 2);
  const open = [1, 2].map(() => connect({ port, host: "127.0.0.1", ca: files.cert }));
  await Promise.all(open.map((socket) => once(socket, "secureConnect")));
  expect(await getSecurely(port, files.cert)).toContain("TooManyConnections");
  for (const socket of open) socket.destroy();
});

// Only Linux and Windows have the other loopback addresses without setup.
test.skipIf(process.platform === "darwin")(
  "one address with very many silent connections does not end another one's handshake",
  async () => {
    const files = await certificateFiles();
    const { port, server } = await listening(files);
    let connected = 0;
    server.on("connection", () => (connected += 1));
    const to = { port, host: "127.0.0.1" };
    const honest = connectPlain({ ...to, localAddress: "127.0.0.2" });
    honest.on("error", () => undefined);
    await expect.poll(() => connected, patience).toBe(1);
    let ended = 0;
    const flood = Array.from({ length: 600 }, () => connectPlain(to));
    for (const socket of flood) socket.on("error", () => undefined).on("close", () => (ended += 1));
    onTestFinished(() => flood.forEach((socket) => socket.destroy()));
    await expect.poll(() => connected, patience).toBe(601);
    await expect.poll(() => ended, patience).toBeGreaterThanOrEqual(100);
    expect(honest.readyState).toBe("open");
    const secure = connect({ ...to, socket: honest, ca: files.cert });
    await once(secure, "secureConnect");
    secure.destroy();
  },
);

test("TLS 1.1 is refused, and TLS 1.2 works", async () => {
  const files = await certificateFiles();
  const { port } = await listening(files);
  const oldest = { port, host: "127.0.0.1", ca: files.cert, ciphers: "DEFAULT@SECLEVEL=0" } as const;
  const old = connect({ ...oldest, minVersion: "TLSv1.1", maxVersion: "TLSv1.1" });
  await expect(once(old, "secureConnect")).rejects.toThrow(/alert|protocol/i);
  const fine = connect({ ...oldest, maxVersion: "TLSv1.2" });
  await once(fine, "secureConnect");
  expect(fine.getProtocol()).toBe("TLSv1.2");
  fine.destroy();
});

test("changed files are used without a restart, and unusable ones are reported", async () => {
  const files = await certificateFiles();
  const { port, failures } = await listening(files);
  await chmod(files.keyFile, 0o640);
  const next = await certificateFiles(files);
  await expect.poll(() => getSecurely(port, next.cert).catch(() => "refused"), patience).toBe("tls ");
  await chmod(files.keyFile, 0o644);
  await certificateFiles({ ...files, keyFile: `${files.keyFile}.other` });
  await expect.poll(() => failures.length, patience).toBeGreaterThan(0);
  expect(await getSecurely(port, next.cert)).toBe("tls ");
});

test("a key that others may read, a missing one and one of another certificate are refused", async () => {
  const [files, other] = [await certificateFiles(), await certificateFiles()];
  const open = (options: TlsOptions) => () => openTlsFiles(options, () => undefined);
  expect(open({ ...files, keyFile: `${files.keyFile}.missing` })).toThrow(/cannot be read/);
  expect(open({ ...files, keyFile: other.keyFile })).toThrow(/belong together/);
  await chmod(files.keyFile, 0o640);
  expect(open(files)).toThrow(/chmod 600/);
});

test("a request under way is answered while the port closes", async () => {
  const files = await certificateFiles();
  const { port, close, server } = await listening(files);
  const arrived = once(server, "request");
  const asked = request({ port, host: "127.0.0.1", ca: files.cert, agent: false, method: "POST" });
  asked.write("half ");
  await arrived;
  const closed = close(30_000);
  asked.end("whole");
  const [response] = (await once(asked, "response")) as [NodeJS.ReadableStream];
  expect(await text(response)).toBe("tls half whole");
  await closed;
});

test("the port closes although a client has sent nothing", async () => {
  const { port, close } = await listening(await certificateFiles());
  const silent = connectPlain(port, "127.0.0.1");
  silent.on("error", () => undefined);
  await once(silent, "connect");
  await close(60_000);
  expect(silent.destroyed || silent.readyState !== "open" || (await once(silent, "close"))).toBeTruthy();
});

import { createServer as createHttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { backendWebSocket } from "./backend-web-socket.ts";
import { type ConnectFailure, connectFailureOf } from "./connect-failure.ts";
import { WrongKeyError } from "./pinned-connection.ts";

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function failureAt(url: string): Promise<ConnectFailure | null> {
  return new Promise((resolve) => {
    const Socket = backendWebSocket(null, (error) => resolve(error && connectFailureOf(error)));
    new Socket(url);
  });
}

it("names a server that is another program", async () => {
  const port = await listening(createHttpServer((_, response) => response.writeHead(404).end()));
  expect(await failureAt(`ws://127.0.0.1:${port}`)).toEqual({
    kind: "no-backend",
    because: "HTTP 404",
  });
});

it("takes a proxy whose backend is down as unreachable", async () => {
  const port = await listening(createHttpServer((_, response) => response.writeHead(503).end()));
  expect(await failureAt(`ws://127.0.0.1:${port}`)).toMatchObject({ kind: "unreachable" });
});

it("names a server that speaks no TLS", async () => {
  const port = await listening(createHttpServer((_, response) => response.writeHead(404).end()));
  expect(await failureAt(`wss://127.0.0.1:${port}`)).toEqual({
    kind: "no-backend",
    because: "NO_TLS",
  });
});

it("names a refused and a cut connection", async () => {
  const cutting = createServer((socket) => socket.destroy());
  const port = await listening(cutting);
  expect(await failureAt(`ws://127.0.0.1:${port}`)).toMatchObject({ kind: "unreachable" });
  await new Promise((resolve) => cutting.close(resolve));
  servers.length = 0;
  expect(await failureAt(`ws://127.0.0.1:${port}`)).toEqual({
    kind: "unreachable",
    because: "ECONNREFUSED",
  });
});

it.each([
  [new WrongKeyError("sha256:ff"), "wrong-key"],
  [Object.assign(new Error("self-signed"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }), "untrusted"],
  [Object.assign(new Error("other name"), { code: "ERR_TLS_CERT_ALTNAME_INVALID" }), "other-name"],
  [Object.assign(new Error("other name"), { code: "HOSTNAME_MISMATCH" }), "other-name"],
  [Object.assign(new Error("expired"), { code: "CERT_HAS_EXPIRED" }), "expired"],
  [new Error("no connection in time"), "unreachable"],
])("reads %s", (error, kind) => expect(connectFailureOf(error).kind).toBe(kind));

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";

/** A connection without traffic for this long has been answered, in ms. */
const silenceMs = 200;

/** Texts that one connection sends without waiting for answers. */
export function floods(address: string): readonly { readonly kind: string; readonly bytes: string }[] {
  const { host } = new URL(address);
  const request = (method: string, path: string, headers: readonly string[]): string =>
    [`${method} ${path} HTTP/1.1`, ...headers, "", ""].join("\r\n");
  const upgrade = request("GET", "/api/sync", [
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
  ]);
  const chunked = request("POST", "/api/query", [`Host: ${host}`, "Transfer-Encoding: chunked"]);
  const ping = "\x89\x80\0\0\0\0";
  return [
    { kind: "pipelined requests", bytes: request("GET", "/version", [`Host: ${host}`]).repeat(1_000) },
    { kind: "requests without Host", bytes: request("GET", "/", []).repeat(5_000) },
    {
      kind: "requests with an expectation",
      bytes: request("GET", "/", [`Host: ${host}`, "Expect: x"]).repeat(5_000),
    },
    { kind: "body in tiny chunks", bytes: `${chunked}${"1\r\nx\r\n".repeat(20_000)}0\r\n\r\n` },
    { kind: "pings", bytes: `${upgrade}${ping.repeat(5_000)}` },
  ];
}

/** Sends bytes on a connection of its own, and reads until it ends or is silent. Rejects if it does not open. */
export async function flood(address: string, bytes: string, patienceMs: number): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  // The backend may end it while it still sends.
  socket.on("error", () => undefined);
  socket.resume();
  socket.write(bytes, "latin1");
  socket.setTimeout(silenceMs, () => socket.destroy());
  const late = setTimeout(() => socket.destroy(), patienceMs);
  await closed;
  clearTimeout(late);
}

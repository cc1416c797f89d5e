import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { isLoopback } from "../../wire/host-check.ts";
import { plainAddress } from "../../wire/request-source.ts";
import { PendingSockets } from "./pending-sockets.ts";
import type { TlsFiles } from "./tls-files.ts";

/** Time limit for the first byte, and for the TLS handshake, in ms. */
const handshakeWithinMs = 15_000;
/** Connections that may be before or in their handshake at a time. */
const maxPending = 500;
/** The first byte of every TLS connection: a handshake record. */
const tlsHandshake = 0x16;

const secureOnly = "This port needs TLS. Use https:// in place of http://.\n";
const refusal = [
  "HTTP/1.1 400 Bad Request",
  "Content-Type: text/plain; charset=utf-8",
  `Content-Length: ${String(Buffer.byteLength(secureOnly))}`,
  "Connection: close",
  "",
  secureOnly,
].join("\r\n");

/**
 * Puts TLS in front of an HTTP server that is not listening yet. Its listeners for "connection" get sockets after the
 * handshake. Programs on this machine may still connect without TLS, over loopback. All others are told to use https.
 * @returns a function that ends the connections that have not become HTTP connections yet
 */
export function requireTls(server: Server, files: TlsFiles): () => void {
  const pending = new PendingSockets(maxPending);
  // Node's own handler takes any stream. The others count HTTP connections.
  const serveHttp = server.listeners("connection");
  const accept = (socket: Socket): void => {
    for (const listener of serveHttp) listener.call(server, socket);
  };
  const tls = createTlsServer({
    ...files.current,
    handshakeTimeout: handshakeWithinMs,
    ALPNProtocols: ["http/1.1"],
  });
  files.onChange((next) => tls.setSecureContext(next));
  tls.on("secureConnection", (socket) => {
    pending.delete(socket);
    accept(socket);
  });
  tls.on("tlsClientError", (_error, socket) => socket.destroy());

  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    pending.add(socket);
    socket.on("error", () => socket.destroy());
    const late = setTimeout(() => socket.destroy(), handshakeWithinMs);
    late.unref();
    socket.once("data", (first: Buffer) => {
      clearTimeout(late);
      socket.pause();
      if (first[0] === tlsHandshake) {
        socket.unshift(first);
        tls.emit("connection", socket);
      } else if (isLoopback(plainAddress(socket.remoteAddress) ?? "")) {
        pending.delete(socket);
        socket.unshift(first);
        accept(socket);
        socket.resume();
      } else {
        socket.end(refusal, () => socket.destroySoon());
      }
    });
  });
  return () => pending.destroyAll();
}

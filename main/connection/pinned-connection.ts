import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { type Pin, pinOf } from "./pin.ts";

/** The server has another key than the pinned one: it is another server, or somebody is in between. */
export class WrongKeyError extends Error {
  override readonly name = "WrongKeyError";
  readonly code = "WRONG_KEY";
  readonly found: Pin;

  constructor(found: Pin) {
    super(`The server's key is ${found}, not the pinned one. Nothing was sent to it.`);
    this.found = found;
  }
}

type Target = { readonly host: string; readonly port: number };

/** Includes the TLS handshake. */
const connectWithinMs = 20_000;

/**
 * Connects with TLS and hands the connection out only if the server has proved that it owns the pinned key. Until
 * then no byte is sent but the handshake's. The key replaces the authorities: the certificate's name, issuer and dates
 * do not matter.
 */
export function connectPinned(
  { host, port }: Target,
  pinned: Pin,
  done: (error: Error | null, socket: Socket | null) => void,
): void {
  const socket = connect({
    host,
    port,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    // The pin is checked instead. Without a `session`, each connection has a full handshake and shows its key.
    rejectUnauthorized: false,
  });
  let isDone = false;
  const end = (error: Error | null): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    socket.off("error", end);
    if (error === null) {
      done(null, socket);
      return;
    }
    socket.on("error", () => undefined).destroy();
    done(error, null);
  };
  const timer = setTimeout(() => end(new Error("no connection in time")), connectWithinMs);
  socket.on("error", end);
  socket.once("close", () => end(new Error("the server closed the connection")));
  socket.once("secureConnect", () => {
    const found = keyOf(socket);
    end(found === pinned ? null : new WrongKeyError(found));
  });
}

function keyOf(socket: TLSSocket): Pin {
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? "" : pinOf(certificate.publicKey);
}

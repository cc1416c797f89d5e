import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

const idleCheckMs = 50;
/** Connections that wait to be accepted. With a full queue the next one waits a second. The system may allow less. */
const backlog = 4_096;

export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
  readonly port: number;

  constructor(port: number, host: string) {
    super(`EADDRINUSE: ${host}:${port} is already in use by another program`);
    this.port = port;
  }
}

/** Binds the server and resolves with its port. Port 0 picks a free one. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(error.code === "EADDRINUSE" ? new PortInUseError(port, host) : error);
    };
    server.once("error", onError);
    server.listen({ port, host, backlog }, () => {
      server.off("error", onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops accepting connections, lets running requests finish for `graceMs`, then cuts them. */
export function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    // Connections that were answering when the server closed become idle keep-alive connections later.
    const idle = setInterval(() => {
      server.closeIdleConnections();
    }, idleCheckMs);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

const idleCheckMs = 50;

export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
  readonly port: number;

  constructor(port: number, host: string) {
    super(`EADDRINUSE: ${host}:${port} is already in use by another program`);
    this.port = port;
  }
}

/** Binds the server and resolves with its port, which port 0 leaves to the system. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(error.code === "EADDRINUSE" ? new PortInUseError(port, host) : error);
    };
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops accepting, lets what runs finish for `graceMs`, then cuts it. */
export function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    // What still answers when the server closes is kept alive by its client afterwards.
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

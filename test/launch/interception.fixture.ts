import { readFile } from "node:fs/promises";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { type Certificate, openCertificate } from "../../launch/backend/certificate.ts";

const loopback = "127.0.0.1";

/** Somebody between donor and backend, with a key and a certificate of their own. Passes everything on. */
export type Interceptor = {
  readonly port: number;
  readonly certificate: Certificate;
  /** Connections whose TLS handshake got as far as the interceptor's certificate. */
  readonly connections: () => number;
  /** Everything that clients sent to it inside of TLS. */
  readonly seen: () => string;
  readonly close: () => Promise<void>;
};

export async function startInterceptor(folder: string, backendPort: number): Promise<Interceptor> {
  const certificate = await openCertificate(folder, ["localhost", loopback]);
  const cert = await readFile(certificate.certFile, "utf8");
  const key = await readFile(certificate.keyFile, "utf8");
  let connections = 0;
  let seen = "";
  const server = createTlsServer({ cert, key }, (client) => {
    const behind = connectTls({ host: loopback, port: backendPort, rejectUnauthorized: false });
    client.on("data", (chunk: Buffer) => (seen += chunk.toString("latin1")));
    join(client, behind);
  });
  server.on("connection", () => (connections += 1));
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const { port, close } = await listening(server);
  return { port, certificate, close, connections: () => connections, seen: () => seen };
}

/** An address whose server can be exchanged, as by somebody who controls the network. */
export type Route = {
  readonly port: number;
  /** Leads all later connections to this port of loopback, and cuts the present ones. */
  readonly lead: (port: number) => void;
  readonly close: () => Promise<void>;
};

export async function startRoute(first: number): Promise<Route> {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createTcpServer((client) => {
    sockets.add(client);
    client.once("close", () => sockets.delete(client));
    join(client, connect(target, loopback));
  });
  const { port, close } = await listening(server);
  return {
    port,
    close,
    lead: (next) => {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
}

async function listening(
  server: Server,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

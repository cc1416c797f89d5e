import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy to a server on this machine that counts bytes in both directions. */
type CountedLine = {
  readonly url: string;
  /** The bytes so far, without TCP's overhead. */
  readonly bytes: () => number;
  readonly close: () => void;
};

export async function countedLine(target: URL): Promise<CountedLine> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("data", (data: Buffer) => (bytes += data.length));
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

import { createServer, type Server } from "node:net";

/** Listens on a port, so that no other program can use it. */
export async function listen(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

export async function close(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

/** The first of `count` consecutive ports that are free now. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 20_000);
    const servers: Server[] = [];
    try {
      for (let offset = 0; offset < count; offset++) servers.push(await listen(first + offset));
      return first;
    } catch {
      // One of the ports is taken. Try others.
    } finally {
      await Promise.all(servers.map(close));
    }
  }
}

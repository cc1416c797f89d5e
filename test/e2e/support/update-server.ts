import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";

/** A folder of releases as any web server shows it. */
export type UpdateServer = {
  readonly url: string;
  /** How often a file was asked for. */
  readonly asked: (name: string) => number;
  readonly close: () => void;
};

export async function serveReleases(folder: string): Promise<UpdateServer> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url ?? "/", "http://localhost").pathname);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    createReadStream(join(folder, name))
      .once("error", () => response.writeHead(404).end())
      .pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: (name) => counts.get(name) ?? 0,
    close: () => server.close(),
  };
}

import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCertificate } from "../../../launch/backend/certificate.ts";
import { nameIn, sendFile } from "./model-hub.ts";

/** A file on the hub. `claims`: the size that the hub tells, if it is another one than that of the bytes. */
export type HubFile = { readonly bytes: Buffer; readonly claims?: number };

type HubProxy = {
  /** Added to a backend's environment, so that its calls over https go through here. */
  readonly env: { readonly [name: string]: string };
  readonly close: () => Promise<void>;
};

const hub = "huggingface.co";
/** The host of the hub's files. */
const storage = "files.hf.co";

/**
 * A proxy that answers in place of Hugging Face, under the hub's own names. As there, the page of a file tells its size and its
 * hash and leads on to the storage. Nobody else is reached.
 */
export async function startHubProxy(files: ReadonlyMap<string, HubFile>): Promise<HubProxy> {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-hub-"));
  const { certFile, keyFile } = await openCertificate(folder, [hub, storage]);
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const stored = createTlsServer({ cert, key }, (request, response) => answer(files, request, response));
  const proxy = createServer((_request, response) => response.writeHead(405).end());
  proxy.on("connect", ({ url }, socket, head) => {
    if (url !== `${hub}:443` && url !== `${storage}:443`) {
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.unshift(head);
    stored.emit("connection", socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    env: {
      NODE_USE_ENV_PROXY: "1",
      HTTPS_PROXY: `http://127.0.0.1:${String(address.port)}`,
      NODE_EXTRA_CA_CERTS: certFile,
    },
    close: async () => {
      proxy.close();
      stored.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answer(
  files: ReadonlyMap<string, HubFile>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const name = nameIn(request.url);
  const file = files.get(name);
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  if (request.headers.host === storage) {
    sendFile(request, response, file.bytes);
    return;
  }
  const sha256 = createHash("sha256").update(file.bytes).digest("hex");
  response.writeHead(302, {
    location: `https://${storage}${request.url ?? ""}`,
    "x-linked-size": String(file.claims ?? file.bytes.length),
    "x-linked-etag": `"${sha256}"`,
  });
  response.end();
}

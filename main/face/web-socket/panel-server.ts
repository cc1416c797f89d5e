import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { panelProtocol, wrongTokenCode } from "../../../app/contract/donor-calls.ts";
import type { AnswerCall } from "../answer-call.ts";
import { readPanelFile } from "../panel-files.ts";
import { sentPanelPolicy } from "../panel-policy.ts";
import type { SnapshotStore } from "../snapshot-store.ts";
import { maxFrameBytes, servePanelSocket } from "./panel-socket.ts";
import { isSameOrigin, PanelSession } from "./session.ts";

type PanelServerOptions = {
  /** The first one that is free is taken. 0 is any free port. */
  readonly ports: readonly number[];
  /** The built pages. */
  readonly folder: string;
  readonly answer: AnswerCall;
  readonly snapshot: Pick<SnapshotStore, "onDelta">;
};

export type PanelServer = {
  /** Opens the panel. The token is in its fragment, which no browser sends to a server. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

const maxPanels = 16;

/**
 * Serves the panel on 127.0.0.1. Rejects when the ports are taken. Every user of this computer may load the page, which
 * contains nothing of the donor. Its socket needs the token.
 */
export async function servePanel(options: PanelServerOptions): Promise<PanelServer> {
  const session = new PanelSession();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    clientTracking: true,
    // The answer names the protocol and never repeats the token.
    handleProtocols: (offered) => offered.has(panelProtocol) && panelProtocol,
  });
  let port = 0;

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    secure(response, port);
    if (!isSameOrigin(request, port, false)) {
      refuse(response, 403, "Forbidden");
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      refuse(response, 405, "Method not allowed");
      return;
    }
    const url = requestUrl(request, port);
    if (url === null) {
      refuse(response, 400, "Bad request");
      return;
    }
    const page = await findPanelPage(options.folder);
    if (page === null) {
      refuse(response, 503, "The panel is not built yet: run `npm run build` and load this page again.");
      return;
    }
    if (url.pathname === "/") {
      response.writeHead(303, { location: page }).end();
      return;
    }
    const file = await readPanelFile(options.folder, url.href);
    if (file === null) {
      refuse(response, 404, "Not found");
      return;
    }
    response.writeHead(200, { "content-type": file.type, "content-length": file.body.length });
    response.end(request.method === "HEAD" ? undefined : file.body);
  }

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A client may leave before it is answered. Without a listener its error would end the donor.
    socket.on("error", () => socket.destroy());
    const ours = isSameOrigin(request, port, true) && requestUrl(request, port)?.pathname === "/bridge";
    if (!ours || sockets.clients.size >= maxPanels) {
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (panel) => {
      if (session.accepts(request)) servePanelSocket(panel, options.answer, options.snapshot);
      else turnAway(panel);
    });
  });

  await listenOnFirst(server, options.ports);
  port = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${port}/#token=${session.token}`,
    close: async () => {
      for (const panel of sockets.clients) panel.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listenOnFirst(server: Server, ports: readonly number[]): Promise<void> {
  const [port = 0, ...others] = ports;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (error) {
    if (others.length === 0 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    await listenOnFirst(server, others);
  }
}

/** Closes the socket instead of refusing it, because a page cannot read the status of a refusal. */
function turnAway(panel: WebSocket): void {
  panel.on("error", () => panel.terminate());
  panel.close(wrongTokenCode, "wrong token");
  // A page that does not answer would keep one of the few places.
  setTimeout(() => panel.terminate(), 1_000).unref();
}

/** The built page: at the root, or below panel/ if the build has several pages. Null if it is not built. */
async function findPanelPage(folder: string): Promise<string | null> {
  for (const page of ["/panel/index.html", "/index.html"]) {
    if ((await readPanelFile(folder, `http://127.0.0.1${page}`)) !== null) return page;
  }
  return null;
}

/** Null for a request line that is not a path, for example "//". */
function requestUrl(request: IncomingMessage, port: number): URL | null {
  const base = `http://127.0.0.1:${port}`;
  const path = request.url ?? "/";
  return URL.canParse(path, base) ? new URL(path, base) : null;
}

function secure(response: ServerResponse, port: number): void {
  response.setHeader(
    "content-security-policy",
    sentPanelPolicy(["'self'", `ws://127.0.0.1:${port}`, `ws://localhost:${port}`]),
  );
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("x-frame-options", "DENY");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cache-control", "no-store");
}

function refuse(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${words}\n`);
}

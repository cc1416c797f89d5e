import type { IncomingMessage, ServerResponse } from "node:http";
import type { FunctionRunner } from "../runtime/types.ts";
import { bodyEnd, drain } from "./drain.ts";
import type { HostCheck } from "./host-check.ts";
import { sendReply, textReply } from "./reply.ts";
import { securityHeaders } from "./security-headers.ts";
import { serveStatic } from "./static-files.ts";
import type { StaticFolder } from "./static-path.ts";
import { toWebRequest } from "./web-request.ts";
import { sendWebResponse } from "./web-response.ts";

export type SiteOptions = {
  readonly runner: FunctionRunner;
  readonly isAllowedHost: HostCheck;
  readonly staticFolders: readonly StaticFolder[];
  /** The API's origins for a page that was asked for by this Host: it may talk to them. */
  readonly apiOrigins: (hostHeader: string) => readonly string[];
  readonly log: (line: string) => void;
};

/** The deployment's site: static folders first, then everything else to its HTTP actions. */
export function siteHandler(options: SiteOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    answer(options, request, response).catch((error: unknown) => {
      options.log(`site: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      if (response.headersSent) response.destroy();
      else void sendReply(response, textReply("Internal server error", 500));
    });
  };
}

async function answer(
  options: SiteOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host } = request.headers;
  if (host === undefined || !options.isAllowedHost(host)) {
    void sendReply(response, textReply("Unknown host", 403));
    return;
  }
  const headers = securityHeaders({ connectTo: options.apiOrigins(host) });
  for (const folder of options.staticFolders) {
    if (await serveStatic(folder, headers, request, response)) return;
  }
  await answerByAction(options, `http://${host}`, request, response);
}

async function answerByAction(
  { runner }: SiteOptions,
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("error", (error) => {
    gone.abort(error);
  });
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) gone.abort(new Error("The client disconnected"));
  });
  const converted = toWebRequest(incoming, origin, gone.signal);
  if (converted.kind === "refused") {
    outgoing.setHeader("Connection", "close");
    drain(incoming);
    // The answer's end closes the connection: it has to wait for the body's.
    if (!incoming.complete) await bodyEnd(incoming);
    void sendReply(outgoing, textReply(converted.message, converted.status));
    return;
  }
  const response = await runner.runHttp(converted.request);
  if (response === null) void sendReply(outgoing, textReply("No matching routes found", 404));
  else await sendWebResponse(response, outgoing, gone.signal);
}

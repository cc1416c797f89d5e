import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "../../admission/address-count.ts";
import type { Admission } from "../../admission/admission.ts";
import { authenticate, type Authenticators } from "../../auth/authorization.ts";
import { describeError, type Log } from "../../operations/log.ts";
import type { FunctionRunner, Identity } from "../../runtime/contract/function-runner.ts";
import { cancelBody } from "../../runtime/run/plain-response.ts";
import type { HostCheck } from "../../wire/host-check.ts";
import { requestIdHeader, requestIdOf } from "../../wire/request-id.ts";
import type { SourceOf } from "../../wire/request-source.ts";
import { discardBody, drain } from "../drain.ts";
import { sendReply, textReply } from "../reply.ts";
import { pagePolicy } from "./page-policy.ts";
import { serveStatic } from "./static-files.ts";
import type { StaticFolder } from "./static-path.ts";
import { toWebRequest } from "./web-request.ts";
import { sendWebResponse } from "./web-response.ts";

type SiteOptions = Authenticators & {
  readonly runner: FunctionRunner;
  /** Whether a request is for the app or a component with HTTP actions, even if none of them answers it. */
  readonly hasHttpActions: (request: Request) => boolean;
  readonly isAllowedHost: HostCheck;
  readonly sourceOf: SourceOf;
  readonly admission: Admission;
  readonly staticFolders: readonly StaticFolder[];
  /** The API's origins that a page requested with this Host header, with or without TLS, may connect to. */
  readonly apiOrigins: (hostHeader: string, isTls: boolean) => readonly string[];
  readonly log: Log;
  /** Aborts when the backend begins to stop. */
  readonly stopping: AbortSignal;
};

const noRoute = "No matching routes found";
const noActions = "This Convex deployment does not have HTTP actions enabled.";

/** The deployment's site: static folders first, then HTTP actions. Without an action for `/`, that leads to the first folder. */
export function siteHandler(options: SiteOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    answer(options, request, response).catch((error: unknown) => {
      options.log.error("site.failed", { requestId: requestIdOf(request), message: describeError(error) });
      void sendFailure(response).catch(() => response.destroy());
    });
  };
}

async function sendFailure(response: ServerResponse): Promise<void> {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // They may be the reason. The request's id is ours, and names the line in the log.
  for (const name of response.getHeaderNames())
    if (name !== requestIdHeader.toLowerCase()) response.removeHeader(name);
  await sendReply(response, textReply("Internal server error", 500));
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
  const isTls = "encrypted" in request.socket;
  const headers = securityHeaders({ connectTo: options.apiOrigins(host, isTls) });
  for (const folder of options.staticFolders) {
    if (await serveStatic(folder, headers, request, response)) return;
  }
  await answerByAction(options, `${isTls ? "https" : "http"}://${host}`, request, response);
}

async function answerByAction(
  { runner, hasHttpActions, sourceOf, admission, staticFolders, stopping, ...authenticators }: SiteOptions,
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
  const answered = new Promise<boolean>((resolve) => {
    outgoing.once("close", () => resolve(outgoing.writableFinished));
  });
  // Read now: after a client leaves, its address is gone.
  const source = sourceOf(incoming);
  const identity = await identityOf(incoming.headers.authorization, authenticators);
  const account = identity.kind === "none" ? admission.budget.open(networkOf(source.ip)) : null;
  void answered.then(() => account?.set(0));
  const admit = (bytes: number): boolean => account?.set(bytes) ?? true;
  const { turns } = admission;
  const ends = AbortSignal.any([gone.signal, stopping]);
  const converted = toWebRequest(incoming, origin, ends, { turns, admit });
  if (converted.kind === "refused") {
    await refuse(incoming, outgoing, converted);
    return;
  }
  const { request, refused, abandonBody } = converted;
  outgoing.on("finish", () => {
    abandonBody();
    drain(incoming);
  });
  const requestId = requestIdOf(incoming);
  outgoing.setHeader(requestIdHeader, requestId);
  await turns.turn();
  const response = await runner.runHttp(request, { requestId, identity, source, answered });
  const reason = refused();
  if (reason !== null) {
    admission.refusals.count(reason.status === 413 ? "message" : "memory");
    if (response !== null) await cancelBody(response);
    await refuse(incoming, outgoing, reason);
  } else if (response === null && staticFolders[0] !== undefined && asksForRoot(incoming)) {
    // Somebody who typed the address without a path wants the page.
    outgoing.writeHead(302, { Location: `${staticFolders[0].path}/`, "Cache-Control": "no-store" }).end();
  } else if (response === null) {
    abandonBody();
    const message = hasHttpActions(request) ? noRoute : noActions;
    await refuse(incoming, outgoing, { status: 404, message });
  } else await sendWebResponse(response, outgoing, gone.signal);
}

function asksForRoot({ method, url }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && url?.split("?", 1)[0] === "/";
}

/** HTTP actions run with any header: it may be meant for them, such as an API key. */
async function identityOf(header: string | undefined, authenticators: Authenticators): Promise<Identity> {
  const authenticated = await authenticate(header, authenticators);
  return authenticated.kind === "ok"
    ? authenticated.identity
    : { kind: "none", refused: authenticated.message };
}

/** Answers after the whole body has arrived: the end of the answer may close the connection. */
async function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
): Promise<void> {
  if (!incoming.complete) {
    outgoing.setHeader("Connection", "close");
    await discardBody(incoming);
  }
  await sendReply(outgoing, textReply(message, status));
}

type SecurityHeadersOptions = {
  /** Origins that the page may connect to besides its own: the deployment's, as http(s) and ws(s). */
  readonly connectTo: readonly string[];
};

/** For served pages: their policy, no page that frames them, no sniffing. A page itself cannot forbid to be framed. */
function securityHeaders({ connectTo }: SecurityHeadersOptions): { readonly [name: string]: string } {
  return {
    "Content-Security-Policy": `${pagePolicy(connectTo)}; frame-ancestors 'none'`,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  };
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { describeError, type Log } from "../../operations/log.ts";
import type { HostCheck } from "../../wire/host-check.ts";
import { requestIdHeader, requestIdOf } from "../../wire/request-id.ts";
import { discardBody } from "../drain.ts";
import { refusal, type Reply, sendReply, textReply } from "../reply.ts";

/**
 * A family of endpoints below `/api/`. `path` is the rest, without the query: "storage/upload". Returns null for
 * paths of others. Checks the method and the caller itself.
 */
export type ApiRoute = (path: string, request: IncomingMessage) => Promise<Reply | null>;

type ApiOptions = {
  /** Answers `/health`, `/metrics` and similar; null for other paths. */
  readonly operations: (path: string, request: IncomingMessage) => Promise<Reply | null>;
  /** Tried in this order. */
  readonly routes: readonly ApiRoute[];
  /** Answers the requests below `/http/` as the site does. Their paths are without it. Null: there are no HTTP actions. */
  readonly httpActions: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  readonly isAllowedHost: HostCheck;
  /** The address of the page for people, which the site serves. Null: it serves none. */
  readonly page: () => string | null;
  readonly version: string;
  readonly instanceName: string;
  readonly log: Log;
};

const api = "/api/";
const httpActions = "/http/";
/** Uploads of any size. Backups to restore are uploaded like imports. */
const uploads: ReadonlySet<string> = new Set(["storage/upload", "import/upload_part"]);

/** Whether requests to a path upload files. */
export function isUploadPath(path: string): boolean {
  return path.startsWith(api) && uploads.has(withoutVersion(path.slice(api.length)));
}

/** The deployment's HTTP API. */
export function apiHandler(options: ApiOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (options.httpActions !== null && request.url?.startsWith(httpActions) === true) {
      request.url = request.url.slice(httpActions.length - 1);
      options.httpActions(request, response);
      return;
    }
    answer(options, request, response).catch((error: unknown) => {
      options.log.error("api.failed", { requestId: requestIdOf(request), message: describeError(error) });
      void sendReply(
        response,
        refusal(500, "InternalServerError", "Your request couldn't be completed. Try again."),
      );
    });
  };
}

async function answer(
  options: ApiOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allowAnyOrigin(request, response);
  response.setHeader(requestIdHeader, requestIdOf(request));
  if (!options.isAllowedHost(request.headers.host)) {
    await sendReply(response, refusal(403, "UnknownHost", "This backend does not answer to that host name."));
    return;
  }
  if (request.method === "OPTIONS") {
    answerPreflight(response);
    return;
  }
  const reply = await route(options, request);
  // The unread rest of a refused body must not be parsed as the connection's next request.
  if (!request.complete) {
    response.setHeader("Connection", "close");
    await discardBody(request);
  }
  await sendReply(response, reply);
}

async function route(options: ApiOptions, request: IncomingMessage): Promise<Reply> {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  if (request.method === "GET" || request.method === "HEAD") {
    if (path === "/version" || path === `${api}version`) return textReply(options.version);
    if (path === "/instance_name") return textReply(options.instanceName);
    if (path === "/") return greeting(options.page(), request.headers.accept);
  }
  if (!path.startsWith(api)) return (await options.operations(path, request)) ?? notFound();
  const endpoint = withoutVersion(path.slice(api.length));
  for (const each of options.routes) {
    const reply = await each(endpoint, request);
    if (reply !== null) return reply;
  }
  return notFound();
}

/** People open the address that their clients have. A browser goes on to the page that this backend serves. */
function greeting(page: string | null, accept: string | undefined): Reply {
  const text = textReply("This deployment is running. See https://docs.convex.dev/.");
  return page === null || accept?.includes("text/html") !== true
    ? text
    : { ...text, status: 302, headers: { Location: page, Vary: "Accept" } };
}

/** Older clients put their version in the path: `/api/1.48.0/query`. */
function withoutVersion(route: string): string {
  return route.replace(/^\d+\.\d+\.\d+[^/]*\//, "");
}

function notFound(): Reply {
  return refusal(404, "NotFound", "There is no such endpoint.");
}

const allowedHeaders =
  "Content-Type, Authorization, Convex-Client, Convex-Parent-Request-Id, Digest, If-None-Match, If-Range, Range";
const oneDayS = 86_400;

/**
 * Any web page may call a deployment's public functions, as with Convex: functions check their callers. No cookies
 * are used, so a page gains nothing from its visitor's browser.
 */
function allowAnyOrigin(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  response.setHeader("Vary", "Origin");
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", requestIdHeader);
}

function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": allowedHeaders,
    "Access-Control-Max-Age": String(oneDayS),
  });
  response.end();
}

import type { IncomingMessage } from "node:http";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import type { FunctionLog } from "../../operations/function-log.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";

/** A request without new entries is answered after this time, in ms. Proxies wait longer. */
const waitMs = 25_000;
const maxFollowers = 50;

type LogRouteDeps = {
  readonly functionLog: FunctionLog;
  readonly isAdminKey: AdminKeyCheck;
  /** Aborted when the backend stops, to end all waits. */
  readonly stopping: AbortSignal;
};

/** `GET /api/stream_function_logs?cursor=…`: `npx convex logs`. */
export function logRoutes(deps: LogRouteDeps): ApiRoute {
  let followers = 0;
  return async (path, request) => {
    if (path !== "stream_function_logs") return null;
    const refused = adminRefusal(request, deps.isAdminKey);
    if (refused !== null) return refused;
    if (request.method !== "GET") return refusal(405, "MethodNotAllowed", "Use GET.");
    if (followers >= maxFollowers)
      return refusal(503, "TooManyFollowers", "Too many clients follow the log.");
    followers += 1;
    try {
      return await nextPage(deps, request);
    } finally {
      followers -= 1;
    }
  };
}

async function nextPage({ functionLog, stopping }: LogRouteDeps, request: IncomingMessage): Promise<Reply> {
  const cursor = Number(new URLSearchParams(request.url?.split("?", 2)[1]).get("cursor"));
  if (!Number.isFinite(cursor) || cursor < 0)
    return refusal(400, "BadRequest", "cursor must be a time in ms.");
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  request.socket.once("close", leave);
  try {
    const until = AbortSignal.any([gone.signal, stopping, AbortSignal.timeout(waitMs)]);
    return jsonReply(await functionLog.after(cursor, until));
  } finally {
    request.socket.off("close", leave);
  }
}

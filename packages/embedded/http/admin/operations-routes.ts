import type { IncomingMessage } from "node:http";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import type { Metrics } from "../../operations/metrics.ts";
import type { ReadinessProbe } from "../../operations/readiness.ts";
import type { FunctionRuntime } from "../../runtime/function-runtime.ts";
import { isLoopback } from "../../wire/host-check.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";

type ConflictRouteDeps = {
  readonly runtime: Pick<FunctionRuntime, "conflictStats" | "resetConflictStats">;
  readonly isAdminKey: AdminKeyCheck;
};

/** `GET /api/embedded/conflicts`: conflicts of mutations, by function. `DELETE` resets the counts. */
export function conflictRoutes({ runtime, isAdminKey }: ConflictRouteDeps): ApiRoute {
  return (path, request) => {
    if (path !== "embedded/conflicts") return Promise.resolve(null);
    const refused = adminRefusal(request, isAdminKey);
    if (refused !== null) return Promise.resolve(refused);
    switch (request.method) {
      case "GET":
        return Promise.resolve(jsonReply({ functions: runtime.conflictStats() }));
      case "DELETE":
        runtime.resetConflictStats();
        return Promise.resolve(jsonReply(null));
      default:
        return Promise.resolve(refusal(405, "MethodNotAllowed", "Use GET or DELETE."));
    }
  };
}

type OperationsDeps = {
  readonly readiness: ReadinessProbe;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly isAdminKey: AdminKeyCheck;
};

/** Answers `/health`, `/ready` and `/metrics`, for operators. Null for other paths. */
export async function answerOperations(
  deps: OperationsDeps,
  path: string,
  request: IncomingMessage,
): Promise<Reply | null> {
  switch (path) {
    case "/health":
      return healthReply();
    case "/ready":
      return readyReply(deps.readiness);
    case "/metrics":
      return metricsReply(deps, request);
    default:
      return null;
  }
}

/** An answer at all means that the event loop runs. */
export function healthReply(): Reply {
  return jsonReply({ status: "ok" });
}

export function readyReply(probe: ReadinessProbe): Reply {
  const readiness = probe.get();
  if (readiness.kind === "ready") return jsonReply({ status: "ready" });
  const body = jsonReply({ status: "not ready", reasons: readiness.reasons }, 503);
  return { ...body, headers: { "Retry-After": "1" } };
}

async function metricsReply(
  { metrics, isAdminKey }: OperationsDeps,
  request: IncomingMessage,
): Promise<Reply | null> {
  if (request.method !== "GET") return refusal(405, "MethodNotAllowed", "Use GET.");
  const isLocal = isLoopbackPeer(request) && !isForwarded(request);
  const refused = isLocal ? null : adminRefusal(request, isAdminKey);
  if (refused !== null) return refused;
  return {
    status: 200,
    headers: { "Content-Type": metrics.contentType },
    body: { type: "text", text: await metrics.text() },
  };
}

function isLoopbackPeer({ socket }: IncomingMessage): boolean {
  return isLoopback((socket.remoteAddress ?? "").replace(/^::ffff:/, ""));
}

/** A request through a proxy on this machine, or from a browser on it, also comes from loopback. */
function isForwarded({ headers }: IncomingMessage): boolean {
  return ["forwarded", "via", "x-forwarded-for", "x-real-ip", "origin"].some(
    (name) => headers[name] !== undefined,
  );
}

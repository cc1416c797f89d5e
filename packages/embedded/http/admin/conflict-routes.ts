import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import type { FunctionRuntime } from "../../runtime/function-runtime.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal } from "../reply.ts";

export type ConflictRouteDeps = {
  readonly runtime: Pick<FunctionRuntime, "conflictStats" | "resetConflictStats">;
  readonly isAdminKey: AdminKeyCheck;
};

/** `GET /api/gleaner/conflicts`: what mutations have lost to each other, by function. `DELETE` counts anew. */
export function conflictRoutes({ runtime, isAdminKey }: ConflictRouteDeps): ApiRoute {
  return (path, request) => {
    if (path !== "gleaner/conflicts") return Promise.resolve(null);
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

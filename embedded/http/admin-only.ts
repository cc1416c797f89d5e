import type { IncomingMessage } from "node:http";
import type { AdminKeyCheck } from "./admin-key.ts";
import { refusal, type Reply } from "./reply.ts";

/** Why a request may not do what only the admin may; null when it may. */
export function refuseUnlessAdmin(request: IncomingMessage, isAdminKey: AdminKeyCheck): Reply | null {
  const header = request.headers.authorization ?? "";
  const [scheme = "", credential = ""] = header.split(/ +/, 2);
  if (scheme.toLowerCase() === "convex" && isAdminKey(credential)) return null;
  return header === ""
    ? refusal(401, "Unauthorized", "This needs the deployment's admin key.")
    : refusal(401, "BadDeployKey", "The provided admin key was invalid for this deployment.");
}

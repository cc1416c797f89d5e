import type { IncomingMessage } from "node:http";
import type { AdminKeyCheck } from "../auth/admin-key.ts";
import { refusal, type Reply } from "./reply.ts";

/**
 * Null when a request carries the admin key, as `Convex <key>` or as `Bearer <key>`: some programs can only send
 * the latter.
 */
export function adminRefusal({ headers }: IncomingMessage, isAdminKey: AdminKeyCheck): Reply | null {
  const { authorization } = headers;
  if (authorization === undefined) return refusal(401, "Unauthorized", "Send the admin key.");
  const key = /^(?:Convex|Bearer) +(.+)$/i.exec(authorization)?.[1]?.trim();
  if (key !== undefined && isAdminKey(key)) return null;
  return refusal(403, "BadDeployKey", "The provided admin key was invalid for this deployment.");
}

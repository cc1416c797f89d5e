import type { Claims, Identity } from "../runtime/types.ts";
import type { AdminKeyCheck } from "./admin-key.ts";
import { parseBoundedJson } from "./bounded-json.ts";

export type Authorized =
  | { readonly kind: "ok"; readonly identity: Identity }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

export const BAD_DEPLOY_KEY = {
  kind: "refused",
  code: "BadDeployKey",
  message: "The provided admin key was invalid for this deployment.",
} as const;

export const NO_AUTH_PROVIDER = {
  kind: "refused",
  code: "NoAuthProvider",
  message:
    "No auth provider found matching the given token (no providers configured). " +
    "The embedded backend does not verify user tokens yet.",
} as const;

/** Who an `Authorization` header speaks for: absent, `Convex <adminKey>` or `Bearer <user token>`. */
export function authorize(header: string | undefined, isAdminKey: AdminKeyCheck): Authorized {
  if (header === undefined || header === "") return { kind: "ok", identity: { kind: "none" } };
  const space = header.indexOf(" ");
  const scheme = header.slice(0, space === -1 ? header.length : space).toLowerCase();
  const credential = space === -1 ? "" : header.slice(space + 1).trim();
  if (scheme === "convex") return authorizeAdmin(credential, isAdminKey);
  if (scheme === "bearer") return NO_AUTH_PROVIDER;
  return { kind: "refused", code: "InvalidAuthHeader", message: "Unknown kind of Authorization header." };
}

/** `ConvexHttpClient` appends the identity to act as to the key: `<adminKey>:<base64 of JSON>`. */
function authorizeAdmin(credential: string, isAdminKey: AdminKeyCheck): Authorized {
  if (isAdminKey(credential)) return { kind: "ok", identity: { kind: "admin" } };
  const colon = credential.lastIndexOf(":");
  if (colon === -1 || !isAdminKey(credential.slice(0, colon))) return BAD_DEPLOY_KEY;
  const actingAs = parseBoundedJson(Buffer.from(credential.slice(colon + 1), "base64").toString("utf8"));
  if (actingAs.kind === "invalid" || !isClaims(actingAs.value)) {
    return {
      kind: "refused",
      code: "InvalidIdentity",
      message: "The identity to act as is not a JSON object.",
    };
  }
  return { kind: "ok", identity: { kind: "admin", actingAs: actingAs.value } };
}

function isClaims(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { Claims, Identity } from "../runtime/contract/function-runner.ts";
import { assertNever } from "../values/assert-never.ts";
import { parseBoundedJson } from "../wire/bounded-json.ts";
import type { AdminKeyCheck } from "./admin-key.ts";
import type { TokenVerifier } from "./token-verifier.ts";

type Authorized =
  | { readonly kind: "ok"; readonly identity: Identity }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

/** Like `Authorized`, or the user's token cannot be verified right now. */
type Authenticated =
  Authorized | { readonly kind: "unavailable"; readonly code: string; readonly message: string };

export type Authenticators = {
  readonly isAdminKey: AdminKeyCheck;
  readonly tokens: Pick<TokenVerifier, "verify">;
};

export const badDeployKey = {
  kind: "refused",
  code: "BadDeployKey",
  message: "The provided admin key was invalid for this deployment.",
} as const;

/** The identity of an `Authorization` header: absent, `Convex <adminKey>` or `Bearer <user token>`. */
export async function authenticate(
  header: string | undefined,
  { isAdminKey, tokens }: Authenticators,
): Promise<Authenticated> {
  const { scheme, credential } = partsOf(header ?? "");
  if (scheme !== "bearer") return authorize(header, isAdminKey);
  const verification = await tokens.verify(credential);
  switch (verification.kind) {
    case "verified":
      return { kind: "ok", identity: { kind: "user", attributes: verification.attributes } };
    case "refused":
    case "unavailable":
      return verification;
    default:
      return assertNever(verification);
  }
}

/** For admin-only requests: users' tokens are refused unread. */
export function authorize(header: string | undefined, isAdminKey: AdminKeyCheck): Authorized {
  if (header === undefined || header === "") return { kind: "ok", identity: { kind: "none" } };
  const { scheme, credential } = partsOf(header);
  if (scheme === "convex") return authorizeAdmin(credential, isAdminKey);
  if (scheme === "bearer") return badDeployKey;
  return { kind: "refused", code: "InvalidAuthHeader", message: "Unknown kind of Authorization header." };
}

function partsOf(header: string): { readonly scheme: string; readonly credential: string } {
  const space = header.indexOf(" ");
  if (space === -1) return { scheme: header.toLowerCase(), credential: "" };
  return { scheme: header.slice(0, space).toLowerCase(), credential: header.slice(space + 1).trim() };
}

/** `ConvexHttpClient` appends the identity to act as: `<adminKey>:<base64 of JSON>`. */
function authorizeAdmin(credential: string, isAdminKey: AdminKeyCheck): Authorized {
  if (isAdminKey(credential)) return { kind: "ok", identity: { kind: "admin" } };
  const colon = credential.lastIndexOf(":");
  if (colon === -1 || !isAdminKey(credential.slice(0, colon))) return badDeployKey;
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

import { type Authenticators, badDeployKey } from "../../auth/authorization.ts";
import type { Identity } from "../../runtime/contract/function-runner.ts";
import { assertNever } from "../../values/assert-never.ts";
import type { AuthenticateMessage } from "../protocol/protocol.ts";

/** A session's identity, and its expiry in ms since the epoch; null means no expiry. */
export type SessionIdentity = { readonly identity: Identity; readonly expiresAt: number | null };

export const nobody: SessionIdentity = { identity: { kind: "none" }, expiresAt: null };

export type Identified =
  | { readonly kind: "ok"; readonly as: SessionIdentity }
  | { readonly kind: "refused"; readonly message: string }
  /** The token's issuer does not answer. The same token may be accepted later. */
  | { readonly kind: "unavailable"; readonly code: string; readonly message: string };

/** Determines the identity that an `Authenticate` message sets. */
export async function identify(
  message: AuthenticateMessage,
  { isAdminKey, tokens }: Authenticators,
): Promise<Identified> {
  switch (message.tokenType) {
    case "None":
      return { kind: "ok", as: nobody };
    case "Admin": {
      if (!isAdminKey(message.value)) return { kind: "refused", message: badDeployKey.message };
      const actingAs = message.impersonating ?? null;
      const identity =
        actingAs === null ? ({ kind: "admin" } as const) : ({ kind: "admin", actingAs } as const);
      return { kind: "ok", as: { identity, expiresAt: null } };
    }
    case "User": {
      const verified = await tokens.verify(message.value);
      if (verified.kind !== "verified") return verified;
      const { attributes, expiresAt } = verified;
      return { kind: "ok", as: { identity: { kind: "user", attributes }, expiresAt } };
    }
    default:
      return assertNever(message);
  }
}

export function hasExpired({ expiresAt }: SessionIdentity, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

import { type Authenticators, badDeployKey } from "../../auth/authorization.ts";
import type { Identity } from "../../runtime/contract/function-runner.ts";
import { assertNever } from "../../values/assert-never.ts";
import type { AuthenticateMessage } from "../protocol/protocol.ts";

/** Whom a session acts as, and until when, in ms since the epoch; null without an end. */
export type SessionIdentity = { readonly identity: Identity; readonly expiresAt: number | null };

export const nobody: SessionIdentity = { identity: { kind: "none" }, expiresAt: null };

export type Identified =
  | { readonly kind: "ok"; readonly as: SessionIdentity }
  | { readonly kind: "refused"; readonly message: string }
  /** The token's issuer does not answer: the same token may be good later. */
  | { readonly kind: "unavailable"; readonly code: string; readonly message: string };

/** Finds out whom an `Authenticate` message makes of its session. */
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

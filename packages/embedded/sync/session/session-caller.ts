import { type Authenticators, badDeployKey } from "../../auth/authorization.ts";
import type { MachineClocks } from "../../clock/backend-clock.ts";
import type { Log } from "../../operations/log.ts";
import type { Identity } from "../../runtime/contract/function-runner.ts";
import { assertNever } from "../../values/assert-never.ts";
import type { AuthenticateMessage } from "../protocol/protocol.ts";
import type { AuthErrorMessage } from "../protocol/server-messages.ts";
import type { SessionSocket } from "./session-socket.ts";

const policyViolation = 1008;
const tryAgainLater = 1013;

type CallerDeps = Authenticators & { readonly log: Log; readonly clocks: MachineClocks };

type CallerSession = {
  readonly socket: SessionSocket;
  readonly isClosed: () => boolean;
  /** Ends the client's connection. */
  readonly close: () => void;
};

/** A session's identity, and its expiry in ms since the epoch; null means no expiry. */
type SessionIdentity = { readonly identity: Identity; readonly expiresAt: number | null };

const nobody: SessionIdentity = { identity: { kind: "none" }, expiresAt: null };

type Identified =
  | { readonly kind: "ok"; readonly as: SessionIdentity }
  | { readonly kind: "refused"; readonly message: string }
  /** The token's issuer does not answer. The same token may be accepted later. */
  | { readonly kind: "unavailable"; readonly code: string; readonly message: string };

/** The identity of a session: none at first, then that of the client's last `Authenticate`. */
export class SessionCaller {
  readonly #deps: CallerDeps;
  readonly #session: CallerSession;
  #current: SessionIdentity = nobody;
  #version = 0;
  #verifying = false;

  constructor(deps: CallerDeps, session: CallerSession) {
    this.#deps = deps;
    this.#session = session;
  }

  get identity(): Identity {
    return this.#current.identity;
  }

  /** Number of identities so far, as the protocol counts them. */
  get version(): number {
    return this.#version;
  }

  /** A token is being verified. Messages received meanwhile belong to the new identity. */
  get verifying(): boolean {
    return this.#verifying;
  }

  /** Expiry has no effect by itself; it counts when something runs. */
  get expired(): boolean {
    return hasExpired(this.#current, this.#deps.clocks.wall());
  }

  /** Resolves to true when the session has a new identity. Otherwise its connection ends. */
  async authenticate(message: AuthenticateMessage): Promise<boolean> {
    const { baseVersion } = message;
    if (baseVersion !== this.#version) {
      this.#session.socket.refuse(`Authenticate on identity version ${String(baseVersion)}`);
      return false;
    }
    this.#verifying = true;
    const identified = await identify(message, this.#deps);
    this.#verifying = false;
    if (this.#session.isClosed()) return false;
    switch (identified.kind) {
      case "ok":
        this.#current = identified.as;
        this.#version += 1;
        return true;
      case "refused":
        this.#refuse({ error: identified.message, baseVersion, authUpdateAttempted: true });
        return false;
      case "unavailable":
        // Not an AuthError: after a few of those the client would log its user out.
        this.#deps.log.warn("auth.unavailable", { message: identified.message });
        this.#leave(tryAgainLater, identified.code);
        return false;
      default:
        return assertNever(identified);
    }
  }

  /** @param baseVersion the identity version that the client knows. */
  refuseExpired(baseVersion: number): void {
    this.#refuse({ error: "Convex token identity expired", baseVersion, authUpdateAttempted: false });
  }

  /**
   * As in Convex, a refusal ends the connection: nothing sent after the token may run under another identity. The
   * client reconnects with another token, or without one.
   */
  #refuse(why: Omit<AuthErrorMessage, "type">): void {
    void this.#session.socket.send({ type: "AuthError", ...why });
    this.#leave(policyViolation, "Unauthenticated");
  }

  #leave(code: number, reason: string): void {
    this.#session.close();
    this.#session.socket.hangUp(code, reason);
  }
}

/** Determines the identity that an `Authenticate` message sets. */
async function identify(
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

function hasExpired({ expiresAt }: SessionIdentity, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

import { errors, type JWTPayload, jwtVerify } from "jose";
import type { MachineClocks } from "../clock/backend-clock.ts";
import type { Claims } from "../runtime/contract/function-runner.ts";
import { assertNever } from "../values/assert-never.ts";
import type { AuthProvider } from "./auth-config.ts";
import type { FetchDocument } from "./fetch-document.ts";
import { describeNoProvider, findProvider, readTokenAddress } from "./find-provider.ts";
import { customJwtIdentity, oidcIdentity } from "./identity.ts";
import type { KeySet } from "./key-set.ts";
import { discoverKeys, fetchKeys, type KeysFetched, RemoteKeys } from "./remote-keys.ts";

/** Codes and messages are Convex's. */
type Verification =
  | {
      readonly kind: "verified";
      /** The result of `ctx.auth.getUserIdentity()`. */
      readonly attributes: Claims;
      /** The identity's expiry in ms since the epoch. */
      readonly expiresAt: number;
    }
  /** The token is invalid for good. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  /** The issuer's keys are unavailable right now. The same token may be accepted later. */
  | { readonly kind: "unavailable"; readonly code: string; readonly message: string };

/** Clock tolerance for a custom JWT's `exp` and `iat`, and any token's `nbf`, in s. An ID token's `exp` has none. */
const leewayS = 5;
const oidcAlgorithms = ["RS256", "EdDSA"];

const unverifiedOidc =
  "Could not verify OIDC token claim. Check that the token signature is valid and the token hasn't expired.";

/** Verifies users' tokens against the providers of auth.config.ts. */
export class TokenVerifier {
  readonly #providers: readonly AuthProvider[];
  readonly #fetchDocument: FetchDocument;
  readonly #clocks: MachineClocks;
  /** Keyed by source: a provider's issuer, as its tokens write it, or the URL of its keys. */
  readonly #remote = new Map<string, RemoteKeys>();

  /** @param clocks tokens are of other machines, so their times are compared with the wall clock. */
  constructor(providers: readonly AuthProvider[], fetchDocument: FetchDocument, clocks: MachineClocks) {
    this.#providers = providers;
    this.#fetchDocument = fetchDocument;
    this.#clocks = clocks;
  }

  async verify(token: string): Promise<Verification> {
    const address = readTokenAddress(token);
    if (address.kind === "invalid") return refused("InvalidAuthHeader", address.reason);
    const { issuer, audiences } = address;
    const provider = findProvider(this.#providers, issuer, audiences);
    if (provider === null) return refused("NoAuthProvider", describeNoProvider(this.#providers));
    const keys = this.#keysOf(provider, issuer);
    const current = await keys.current();
    if (current.kind === "failed") return unavailable(issuer, current.reason);
    const first = await this.#check(token, provider, current.keySet);
    if (first !== "unknown key") return first;
    const newer = await keys.newerThan(current.keySet);
    const second = newer === current.keySet ? first : await this.#check(token, provider, newer);
    return second === "unknown key" ? unknownKey(provider) : second;
  }

  async #check(token: string, provider: AuthProvider, keys: KeySet): Promise<Verification | "unknown key"> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: provider.kind === "oidc" ? oidcAlgorithms : [provider.algorithm],
        clockTolerance: leewayS,
        currentDate: new Date(this.#clocks.wall()),
        requiredClaims: provider.kind === "oidc" ? ["iss", "sub", "exp", "iat"] : ["iss", "sub", "exp"],
      });
      // As on Convex, a custom JWT must name its key.
      if (provider.kind === "customJwt" && protectedHeader.kid === undefined) return unknownKey(provider);
      return this.#identify(provider, payload);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return "unknown key";
      if (error instanceof errors.JOSEError) return unfit(provider, error.message);
      throw error;
    }
  }

  #identify(provider: AuthProvider, payload: JWTPayload): Verification {
    const { iss, sub, exp = 0 } = payload;
    if (typeof iss !== "string" || typeof sub !== "string")
      return unfit(provider, "iss and sub must be strings");
    const expiresAt = exp * 1000;
    const claims = { ...payload, iss, sub } as Claims & { iss: string; sub: string };
    switch (provider.kind) {
      case "oidc": {
        // As in Convex: an ID token has one audience, and no leeway.
        if (Array.isArray(payload.aud) && payload.aud.length > 1)
          return unfit(provider, "more than one audience");
        if (expiresAt <= this.#clocks.wall()) return unfit(provider, "expired");
        const attributes = oidcIdentity(claims);
        return attributes === null
          ? refused(
              "InvalidAuthHeader",
              "Could not parse as OIDC ID token. Token might not be an OIDC-compliant JWT.",
            )
          : { kind: "verified", attributes, expiresAt };
      }
      case "customJwt":
        if ((payload.iat ?? 0) * 1000 > this.#clocks.wall() + leewayS * 1000)
          return unfit(provider, "issued in the future");
        return { kind: "verified", attributes: customJwtIdentity(claims), expiresAt };
      default:
        return assertNever(provider);
    }
  }

  #keysOf(provider: AuthProvider, issuer: string): Pick<RemoteKeys, "current" | "newerThan"> {
    if (provider.kind === "oidc") {
      return this.#remoteKeys(`issuer ${issuer}`, () => discoverKeys(this.#fetchDocument, issuer));
    }
    const { keys } = provider;
    switch (keys.kind) {
      case "inline":
        return {
          current: () => Promise.resolve({ kind: "ok", keySet: keys.keySet }),
          newerThan: (before) => Promise.resolve(before),
        };
      case "remote":
        return this.#remoteKeys(`keys ${keys.url}`, () => fetchKeys(this.#fetchDocument, keys.url));
      default:
        return assertNever(keys);
    }
  }

  #remoteKeys(source: string, fetch: () => Promise<KeysFetched>): RemoteKeys {
    const known = this.#remote.get(source);
    if (known !== undefined) return known;
    const fresh = new RemoteKeys(fetch, this.#clocks.steady);
    this.#remote.set(source, fresh);
    return fresh;
  }
}

function refused(code: string, message: string): Verification {
  return { kind: "refused", code, message };
}

function unavailable(issuer: string, reason: string): Verification {
  const message = `Auth provider discovery of ${issuer} failed: ${reason}`;
  return { kind: "unavailable", code: "AuthProviderDiscoveryFailed", message };
}

function unfit(provider: AuthProvider, why: string): Verification {
  return provider.kind === "oidc"
    ? refused("Unauthenticated", `${unverifiedOidc} (${why})`)
    : refused("InvalidAuthHeader", `Could not validate token: ${why}`);
}

function unknownKey(provider: AuthProvider): Verification {
  return provider.kind === "oidc"
    ? refused("Unauthenticated", unverifiedOidc)
    : refused(
        "InvalidAuthHeader",
        "Could not decode token. The JWT's 'kid' (key ID) header doesn't match any key in the provider's JWKS.",
      );
}

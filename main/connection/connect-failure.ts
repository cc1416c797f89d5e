import { WrongKeyError } from "./pinned-connection.ts";

/** Why a connection to the backend failed. */
export type ConnectFailure =
  | { readonly kind: "wrong-key" }
  /** No authority that this computer knows vouches for the certificate. */
  | { readonly kind: "untrusted" }
  /** The certificate is for another name than the address. */
  | { readonly kind: "other-name" }
  /** The certificate's time is over, or is still to come. */
  | { readonly kind: "expired" | "not-yet-valid" }
  /** `because` is a code, such as "ECONNREFUSED" or "HTTP 404", for which donor-sentences.ts has words. */
  | { readonly kind: "no-backend" | "unreachable"; readonly because: string };

/** Reads the error of a WebSocket that did not open. */
export function connectFailureOf(error: Error): ConnectFailure {
  if (error instanceof WrongKeyError) return { kind: "wrong-key" };
  const status = /^Unexpected server response: (\d{3})$/.exec(error.message)?.[1];
  // A proxy answers with 5xx while the backend behind it restarts.
  if (status?.startsWith("5") === true) return { kind: "unreachable", because: `HTTP ${status}` };
  if (status !== undefined) return { kind: "no-backend", because: `HTTP ${status}` };
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return { kind: "no-backend", because: "NO_TLS" };
  }
  if (code === "CERT_HAS_EXPIRED") return { kind: "expired" };
  if (code === "CERT_NOT_YET_VALID") return { kind: "not-yet-valid" };
  if (code === "HOSTNAME_MISMATCH" || code === "ERR_TLS_CERT_ALTNAME_INVALID") return { kind: "other-name" };
  if (untrusted.has(code)) return { kind: "untrusted" };
  return { kind: "unreachable", because: code === "" ? error.message : code };
}

/** OpenSSL's and Node's codes for a certificate that is well-formed but not trusted. */
const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "CERT_SIGNATURE_FAILURE",
  "INVALID_CA",
  "INVALID_PURPOSE",
]);

import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { base32Of, bytesOfBase32 } from "./base32.ts";

/** As authenticator apps expect: RFC 6238 with SHA-1, six digits and 30 seconds. Some apps ignore other values. */
const stepMs = 30_000;
const digits = 6;
/** As RFC 4226 advises: 160 bits. */
const secretBytes = 20;
/** A phone's clock may be wrong, and typing takes time: the codes before and after the present one count, too. */
const drift = [0, -1, 1];

/** A new secret in base32. Call it in actions: the random numbers of mutations are seeded. */
export function newTotpSecret(): string {
  return base32Of(crypto.getRandomValues(new Uint8Array(secretBytes)));
}

/** The code of a step of 30 seconds since the epoch. */
export function codeOf(secret: string, step: number): string {
  const counter = new Uint8Array(8);
  new DataView(counter.buffer).setBigUint64(0, BigInt(step));
  const mac = hmac(sha1, bytesOfBase32(secret), counter);
  const at = (mac.at(-1) ?? 0) & 0x0f;
  const number = new DataView(mac.buffer, mac.byteOffset).getUint32(at) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step of a code that counts now; null for any other text. */
export function stepOf(secret: string, code: string, now: number): number | null {
  const step = Math.floor(now / stepMs);
  return drift.map((by) => step + by).find((each) => codeOf(secret, each) === code) ?? null;
}

/** The address that a QR code shows to an authenticator app. */
export function otpauthUri(secret: string, organization: string, account: string): string {
  const issuer = encodeURIComponent(`Gleaner ${organization}`.replaceAll(":", " "));
  const label = encodeURIComponent(account.replaceAll(":", " "));
  return `otpauth://totp/${issuer}:${label}?secret=${secret}&issuer=${issuer}`;
}

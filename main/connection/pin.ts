import { createHash, type KeyObject } from "node:crypto";
import * as z from "zod";

/** A server's pin: the SHA-256 of its public key (SubjectPublicKeyInfo in DER), as `sha256:` and 64 hex digits. */
export type Pin = string;

/** Accepts capital letters, and colons between the bytes, as browsers show fingerprints. */
export const pin = z
  .string()
  .max(200)
  .transform((text) => {
    const [kind = "", ...bytes] = text.trim().toLowerCase().split(":");
    return `${kind}:${bytes.join("")}`;
  })
  .pipe(z.string().regex(/^sha256:[0-9a-f]{64}$/, "has to be sha256: and 64 hexadecimal digits"));

export function pinOf(publicKey: KeyObject): Pin {
  const der = publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(der).digest("hex")}`;
}

import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Id } from "../../_generated/dataModel.js";
import { refuse } from "../refuse.ts";
import { base64urlOf, bytesOf } from "../signatures.ts";

declare const process: {
  readonly env: { readonly GLEANER_SIGNING_KEY?: string; readonly GLEANER_SIGNING_KEY_PREVIOUS?: string };
};

/** An organization's key for its catalog. It is derived from the deployment's secret and never stored. */
export type OrganizationKey = {
  readonly publicKey: string;
  readonly sign: (text: string) => Promise<string>;
};

/** A private key of Ed25519 in PKCS #8 is this and the 32 bytes of its seed (RFC 8410). */
const pkcs8Prefix = "MC4CAQAwBQYDK2VwBCIEIA";

const names = { present: "GLEANER_SIGNING_KEY", previous: "GLEANER_SIGNING_KEY_PREVIOUS" } as const;

/** The deployment's secret, or null without one. Refuses (invalid) a malformed one. */
function signingSecret(which: keyof typeof names): string | null {
  const { GLEANER_SIGNING_KEY: present, GLEANER_SIGNING_KEY_PREVIOUS: previous } = process.env;
  const secret = which === "present" ? present : previous;
  if (secret === undefined || secret === "") return null;
  if (!/^[A-Za-z0-9_-]{43}$/.test(secret)) {
    refuse("invalid", `${names[which]} must be 32 random bytes in base64url: 43 characters.`);
  }
  return secret;
}

/** Refuses (invalid) malformed secrets. */
export function checkSigningSecrets(): void {
  signingSecret("present");
  signingSecret("previous");
}

/**
 * The organization's key, or null if the deployment has no such secret. `previous`: the one before, during a rotation. Refuses
 * (invalid) a malformed secret.
 */
export async function organizationKey(
  organizationId: Id<"organizations">,
  which: keyof typeof names,
): Promise<OrganizationKey | null> {
  const secret = signingSecret(which);
  if (secret === null) return null;
  const info = new TextEncoder().encode(`gleaner catalog 1 ${organizationId}`);
  const seed = hkdf(sha256, bytesOf(secret), undefined, info, 32);
  const pkcs8 = Uint8Array.from([...bytesOf(pkcs8Prefix), ...seed]);
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", key);
  return {
    publicKey: x,
    sign: async (text) => {
      const bytes = new TextEncoder().encode(text);
      return base64urlOf(new Uint8Array(await crypto.subtle.sign("Ed25519", key, bytes)));
    },
  };
}

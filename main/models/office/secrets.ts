import { createHmac, hkdfSync } from "node:crypto";

/**
 * The secrets by which devices of one organization recognize each other: the current one, and the previous
 * one while some devices still use it.
 */
export type SharingSecrets = { readonly secret: string; readonly previous: string | null };

/** Values derived from one secret. None of them reveals it. */
export type OfficeKey = {
  /** Marks announcements and calls, so that devices with the same secret recognize them. */
  readonly tag: string;
  /** The pre-shared key that authenticates and encrypts a connection. */
  readonly psk: Buffer;
  readonly secret: string;
};

/** Newest first. */
export function officeKeys({ secret, previous }: SharingSecrets): readonly OfficeKey[] {
  return [secret, previous].filter((one) => one !== null).map(keyOf);
}

function keyOf(secret: string): OfficeKey {
  const psk = Buffer.from(hkdfSync("sha256", secret, "", "gleaner office connection 1", 32));
  return { tag: shortMac(secret, "office"), psk, secret };
}

/** A file's name in announcements. It is meaningless without the secret. */
export function fileTag(secret: string, sha256: string): string {
  return shortMac(secret, `file ${sha256}`);
}

function shortMac(secret: string, subject: string): string {
  return createHmac("sha256", secret).update(subject).digest("base64url").slice(0, 12);
}

import { createHmac, hkdfSync } from "node:crypto";

/** By what the devices of one organization know each other: theirs now, and the one before while some still have it. */
export type SharingSecrets = { readonly secret: string; readonly previous: string | null };

/** One secret, and what is made of it. None of it tells anybody the secret. */
export type OfficeKey = {
  /** By which devices that have the same secret recognize each other's announcements and calls. */
  readonly tag: string;
  /** Both ends of a connection prove that they have it, and encrypt by it. */
  readonly psk: Buffer;
  readonly secret: string;
};

/** The newest first. */
export function officeKeys({ secret, previous }: SharingSecrets): readonly OfficeKey[] {
  return [secret, previous].filter((one) => one !== null).map(keyOf);
}

function keyOf(secret: string): OfficeKey {
  const psk = Buffer.from(hkdfSync("sha256", secret, "", "gleaner office connection 1", 32));
  return { tag: shortMac(secret, "office"), psk, secret };
}

/** What a file is called in an announcement: a word for who has the secret, noise for all others. */
export function fileTag(secret: string, sha256: string): string {
  return shortMac(secret, `file ${sha256}`);
}

function shortMac(secret: string, subject: string): string {
  return createHmac("sha256", secret).update(subject).digest("base64url").slice(0, 12);
}

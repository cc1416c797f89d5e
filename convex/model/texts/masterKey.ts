import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { refuseUntil } from "../refuse.ts";
import { base64urlOf, bytesOf } from "../signatures.ts";
import { decrypt, encrypt } from "./envelope.ts";

declare const process: {
  readonly env: { readonly GLEANER_DATA_KEY?: string; readonly GLEANER_DATA_KEY_PREVIOUS?: string };
};

/** 32 bytes in base64url. */
const form = /^[A-Za-z0-9_-]{43}$/;
const nameBytes = 9;

/** How long callers wait until they ask again for a key that an operator has to put back. */
export const keyReturnMs = 60_000;

/** The key of the deployment that encrypts the data keys of organizations. It is never in the database. */
type MasterKey = Uint8Array;

/**
 * The deployment's master key, or null without one. Refuses (draining) a malformed one: no caller can mend it, so they wait as for a
 * missing one.
 */
export function masterKey(): MasterKey | null {
  return masterKeyIn("GLEANER_DATA_KEY", process.env.GLEANER_DATA_KEY);
}

function previousKey(): MasterKey | null {
  return masterKeyIn("GLEANER_DATA_KEY_PREVIOUS", process.env.GLEANER_DATA_KEY_PREVIOUS);
}

/** Whether the deployment has a malformed key. */
export function isMalformed(): boolean {
  const { GLEANER_DATA_KEY: present = "", GLEANER_DATA_KEY_PREVIOUS: previous = "" } = process.env;
  return [present, previous].some((text) => text !== "" && !form.test(text));
}

function masterKeyIn(variable: string, text: string | undefined): MasterKey | null {
  if (text === undefined || text === "") return null;
  if (form.test(text)) return bytesOf(text);
  const why = `This deployment's ${variable} is not 32 random bytes in base64url, which are 43 characters. Its operator has to mend it.`;
  return refuseUntil("draining", why, keyReturnMs);
}

/** A name of a master key that does not tell the key. */
export function nameOf(master: MasterKey): string {
  return base64urlOf(derived(master, "name").subarray(0, nameBytes));
}

function derived(master: MasterKey, use: string): Uint8Array {
  return hmac(sha256, master, bytesOfText(`gleaner ${use}`));
}

/** A data key as it is stored. @param purpose names the organization. */
export function wrap(master: MasterKey, key: Uint8Array, purpose: string): string {
  // Nonces are made by a key of their own, which opening does not need.
  const both = Uint8Array.from([...master, ...derived(master, "nonce")]);
  return base64urlOf(encrypt(both, key, bytesOfText(purpose)));
}

/** A stored data key. Null if neither the deployment's master key nor the one before it made the text. */
export function unwrap(wrapped: string, purpose: string): Uint8Array | null {
  const [sealed, bound] = [bytesOf(wrapped), bytesOfText(purpose)];
  const present = masterKey();
  const opened = present === null ? null : decrypt(present, sealed, bound);
  if (opened !== null) return opened;
  const previous = previousKey();
  return previous === null ? null : decrypt(previous, sealed, bound);
}

function bytesOfText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

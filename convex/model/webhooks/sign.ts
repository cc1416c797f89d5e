import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const prefix = "whsec_";
const secretBytes = 32;
/** Secrets of webhooks of earlier versions, which have another signature in addition. */
const oldPrefix = "gw_";

/** A secret as Standard Webhooks writes it. Call it in actions: the random numbers of mutations are seeded. */
export function newWebhookSecret(): string {
  return prefix + base64Of(crypto.getRandomValues(new Uint8Array(secretBytes)));
}

type Message = { readonly id: string; readonly body: string };

/**
 * The headers that sign a message, as Standard Webhooks describes: HMAC-SHA256 of "<id>.<seconds>.<body>".
 * @param secrets the valid ones. Each gives a signature, so that a receiver may have either while a secret is replaced.
 */
export function signedHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const time = String(Math.floor(now / 1_000));
  const signatures = secrets.map(
    (secret) => `v1,${base64Of(hmacOf(keyOf(secret), `${id}.${time}.${body}`))}`,
  );
  const old = secrets.find(isOldSecret);
  return {
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": signatures.join(" "),
    ...(old === undefined ? {} : { "gleaner-signature": oldSignature(old, time, body) }),
  };
}

/** Whether the webhook's receiver may still read messages in the form of earlier versions. */
export function isOldSecret(secret: string): boolean {
  return secret.startsWith(oldPrefix);
}

function oldSignature(secret: string, time: string, body: string): string {
  return `t=${time},v1=${bytesToHex(hmacOf(utf8ToBytes(secret), `${time}.${body}`))}`;
}

function keyOf(secret: string): Uint8Array {
  if (!secret.startsWith(prefix)) return utf8ToBytes(secret);
  return Uint8Array.from(atob(secret.slice(prefix.length)), (character) => character.charCodeAt(0));
}

function hmacOf(key: Uint8Array, text: string): Uint8Array {
  return hmac(sha256, key, utf8ToBytes(text));
}

function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

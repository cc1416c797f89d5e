import { base64urlOf } from "../signatures.ts";

/** 256 random bits in base64url. Call it in actions: the random numbers of mutations are seeded. */
export function randomSecret(): string {
  return base64urlOf(crypto.getRandomValues(new Uint8Array(32)));
}

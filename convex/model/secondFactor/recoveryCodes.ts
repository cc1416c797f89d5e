import { hashSecret } from "../authenticate.ts";
import { base32Of } from "./base32.ts";

const count = 10;
/** 80 random bits, so their hashes need no salt. */
const bytes = 10;
const pattern = /^[a-z2-7]{16}$/;

/** New codes for a member who loses the phone. Call it in actions: the random numbers of mutations are seeded. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const code = base32Of(crypto.getRandomValues(new Uint8Array(bytes))).toLowerCase();
    return (code.match(/.{4}/g) ?? []).join("-");
  });
}

/** The hash by which a typed code is known; null if it has not the form of one. */
export async function recoveryHash(typed: string): Promise<string | null> {
  const code = typed.toLowerCase().replace(/[\s-]/g, "");
  return pattern.test(code) ? await hashSecret(code) : null;
}

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { boundedFetch } from "../signIn/boundedFetch.ts";

/**
 * Posts a signed message. The receiver computes HMAC-SHA256 of "<time>.<body>" with the webhook's secret, and compares.
 * @returns why it was not delivered; null if it was. Never rejects.
 */
export async function post(
  { url, secret, body }: { readonly url: string; readonly secret: string; readonly body: string },
  now: number,
): Promise<string | null> {
  try {
    const time = String(Math.floor(now / 1_000));
    const response = await boundedFetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "gleaner-signature": `t=${time},v1=${signatureOf(secret, `${time}.${body}`)}`,
      },
      body,
    });
    if (response.ok) return null;
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      return "It answered with a redirect, which is not followed.";
    return `It answered with status ${String(response.status)}.`;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError"
      ? "It did not answer within 10 seconds."
      : "It could not be reached.";
  }
}

function signatureOf(secret: string, text: string): string {
  return bytesToHex(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(text)));
}

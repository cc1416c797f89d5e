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
        "gleaner-signature": `t=${time},v1=${await hmacHex(secret, `${time}.${body}`)}`,
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

async function hmacHex(secret: string, text: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(text)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

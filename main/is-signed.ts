import { createPublicKey, verify } from "node:crypto";

/** Whether the text has this signature of Ed25519. The key and the signature are in base64url. Never throws. */
export function isSigned(publicKey: string, signature: string, text: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"));
  } catch {
    return false;
  }
}

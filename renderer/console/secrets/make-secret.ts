/** `prefix` and 256 random bits, in base64url. */
export function makeSecret(prefix: "gs_" | "sk-gleaner-"): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = btoa(String.fromCharCode(...bytes));
  return prefix + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `GLN-XXXX-XXXX-XXXX`: 60 random bits in Crockford's base 32, which has no I, L, O or U. */
export function makeEnrollmentCode(): string {
  const symbols = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    crockford.charAt(byte & 31),
  );
  return ["GLN", ...[0, 4, 8].map((at) => symbols.slice(at, at + 4).join(""))].join("-");
}

/** The part of an API key that may be shown later. */
export function shownPrefix(key: string): string {
  return key.slice(0, "sk-gleaner-".length + 4);
}

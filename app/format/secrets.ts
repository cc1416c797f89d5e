/** Enough of an API key to recognize it in a list, but too little to use it. */
export function shownPrefix(apiKey: string): string {
  return apiKey.slice(0, "sk-gleaner-".length + 4);
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * An enrollment code that a person can read aloud: `GLN-XXXX-XXXX-XXXX`, in Crockford's base 32, which has no I, L, O or U.
 * @param random 12 random bytes, of which the code keeps 60 bits. A code that only a program knows has 32 bytes, and keeps 160.
 */
export function enrollmentCodeOf(random: Uint8Array): string {
  const symbols = Array.from(random, (byte) => crockford.charAt(byte & 31)).join("");
  return ["GLN", ...(symbols.match(/.{4}/g) ?? [])].join("-");
}

/**
 * Whether secrets may be printed: to a terminal, or where a caller asks for it by GLEANER_PRINT_SECRETS=1. Anything else,
 * such as a service's journal or the log of a build, is kept and read by others.
 */
export function mayPrintSecrets(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTerminal || env["GLEANER_PRINT_SECRETS"] === "1";
}

/** Bounds of a password, in characters. */
export const passwordChars = { min: 12, max: 256 } as const;

/** Words that guessers try first, also with digits and signs around them. */
const commonWords = new Set([
  ...["password", "passwort", "passphrase", "qwerty", "qwertyuiop", "qwertz", "qwertzuiop", "asdfghjkl"],
  ...[
    "letmein",
    "welcome",
    "willkommen",
    "administrator",
    "admin",
    "changeme",
    "iloveyou",
    "monkey",
    "dragon",
  ],
  ...["football", "baseball", "sunshine", "princess", "superman", "trustno", "secret", "gleaner", "hello"],
]);

const fewestDifferent = 5;
const fewestOwn = 8;

/**
 * Says in a sentence why a password must not be used, or returns null. Long passwords need no kinds of characters.
 * @param about what others know about the person, such as the address and the organization.
 */
export function passwordProblem(password: string, about: readonly string[] = []): string | null {
  const { min, max } = passwordChars;
  if (password.length < min) return `Use at least ${String(min)} characters.`;
  if (password.length > max) return `Use at most ${String(max)} characters.`;
  const lower = password.normalize("NFKC").toLowerCase();
  if (new Set(lower).size < fewestDifferent || isSequence(lower)) {
    return "This is too easy to guess. Use several words that do not belong together.";
  }
  const letters = lower.replaceAll(/[^\p{Letter}]/gu, "");
  if ([...commonWords].some((word) => letters.replaceAll(word, "") === "")) {
    return "This is one of the passwords that guessers try first.";
  }
  for (const known of about.flatMap(knownParts)) {
    if (lower.includes(known) && lower.replaceAll(known, "").length < fewestOwn) {
      return "Do not use your name, your address or your organization's name.";
    }
  }
  return null;
}

function knownParts(known: string): string[] {
  const whole = known.toLowerCase();
  return [whole, ...whole.split(/[\s@.]+/)].filter((part) => part.length >= 4);
}

/** Whether nearly each character follows the one before, as in "abcdefghijkl" or "123456789012". */
function isSequence(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).filter((code, at) => Math.abs(code - (codes[at] ?? 0)) <= 1);
  return steps.length >= codes.length - 3;
}

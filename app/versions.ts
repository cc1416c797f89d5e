const pattern = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-[0-9A-Za-z.-]{1,40})?$/;

/**
 * The protocol's demands on a device's program, each with the first version that meets it. A new demand adds a line. Builds
 * from before the first release have the same number, so the backend also asks whether a device registered a signing key.
 */
export const requiredSince = {
  signedResults: "0.1.0",
} as const;

/** The oldest version of a device's program that this backend gives jobs to, if the organization asks for no newer one. */
export const oldestVersion = Object.values(requiredSince).reduce<string>(newerOf, "0.0.0");

/** Whether the text is a version: three numbers, and perhaps a suffix. */
export function isVersion(text: string): boolean {
  return pattern.test(text);
}

/** Whether a version is older than another by its three numbers. One that is unknown or malformed is older than any. */
export function isOlder(version: string | null, than: string): boolean {
  const [own, other] = [numbersOf(version ?? ""), numbersOf(than)];
  if (own === null || other === null) return other !== null;
  const first = own.findIndex((value, index) => value !== other[index]);
  return first !== -1 && (own[first] ?? 0) < (other[first] ?? 0);
}

/** The newer one of two versions. */
export function newerOf(one: string, other: string): string {
  return isOlder(one, other) ? other : one;
}

function numbersOf(version: string): readonly number[] | null {
  return pattern.exec(version)?.slice(1, 4).map(Number) ?? null;
}

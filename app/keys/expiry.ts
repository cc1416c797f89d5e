/** The farthest end of an API key, in ms. */
export const longestKeyMs = 10 * 366 * 86_400_000;

/** For so long before its end, the console warns about a key; ms. */
export const expiresSoonMs = 14 * 86_400_000;

/** How long the former secret of a rotated key may work, and does by default; ms. */
export const overlap = { most: 30 * 86_400_000, usual: 86_400_000 } as const;

/** Why an expired key is refused. @param expiresAt ms epoch */
export function expiredWords(expiresAt: number): string {
  const at = `${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `This API key expired at ${at}. An owner or administrator can set a later end, or make a new key.`;
}

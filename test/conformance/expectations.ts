/**
 * Matches an error with these words. A production deployment hides messages, so a bare "Server Error" also
 * matches.
 */
export function saying(words: string | RegExp): RegExp {
  const source = typeof words === "string" ? words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : words.source;
  return new RegExp(`${source}|Server Error$`);
}

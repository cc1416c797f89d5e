/**
 * A deployment of kind "production" keeps a function's messages to itself: only "Server Error" is left, with
 * nothing after it. Matches that, or a message with these words.
 */
export function saying(words: string | RegExp): RegExp {
  const source = typeof words === "string" ? words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : words.source;
  return new RegExp(`${source}|Server Error$`);
}

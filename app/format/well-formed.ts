/** The text with a replacement character for each half of a surrogate pair, which has no UTF-8. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

const truncation = " (truncated due to length)";

/** Cuts a text to `maxBytes` of UTF-8 and marks the cut. */
export function truncated(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes)) {
    return text;
  }
  const room = new Uint8Array(maxBytes - truncation.length);
  const { read } = new TextEncoder().encodeInto(text, room);
  return text.slice(0, read) + truncation;
}

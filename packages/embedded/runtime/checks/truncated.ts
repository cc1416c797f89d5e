const truncation = " (truncated due to length)";

/** Cuts a text to `maxBytes` of UTF-8 and marks the cut. */
export function truncated(text: string, maxBytes: number): string {
  return fits(text, maxBytes) ? text : beginning(text, maxBytes - truncation.length) + truncation;
}

/** Cuts a text to `maxBytes` of UTF-8. */
export function cut(text: string, maxBytes: number): string {
  return fits(text, maxBytes) ? text : beginning(text, maxBytes);
}

function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes);
}

function beginning(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

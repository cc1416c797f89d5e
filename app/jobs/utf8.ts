/** UTF-8 bytes of well-formed text. */
export function utf8Length(value: string): number {
  let bytes = 0;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    // Two surrogates are a character of four bytes.
    const isSurrogate = code >= 0xd800 && code < 0xe000;
    bytes += code < 0x80 ? 1 : code < 0x800 || isSurrogate ? 2 : 3;
  }
  return bytes;
}

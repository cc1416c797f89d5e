/** The content of a Convex document id: the table's number and 16 bytes that identify the document. */
type DocumentId = { readonly tableNumber: number; readonly internalId: Uint8Array };

const internalIdBytes = 16;
const checksumBytes = 2;
const maxTableNumber = 0xffff_ffff;
// One to five bytes of table number, the internal id and the checksum, in base 32.
const minLength = 31;
const maxLength = 37;
// Crockford's alphabet in lower case: no i, l, o or u.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const digits = new Map(Array.from(alphabet, (character, value) => [character, value]));

/** Recently decoded ids: a function's ids are decoded again with each read and write. */
const decoded = new Map<string, DocumentId>();
const maxDecoded = 4_096;

/** Encodes an id as Convex does (its version 6): varint table number, internal id, Fletcher-16 checksum. */
export function encodeDocumentId({ tableNumber, internalId }: DocumentId): string {
  if (!Number.isInteger(tableNumber) || tableNumber < 1 || tableNumber > maxTableNumber) {
    throw new RangeError(`A table number is between 1 and ${maxTableNumber}, not ${tableNumber}.`);
  }
  if (internalId.length !== internalIdBytes) {
    throw new RangeError(`An internal id has ${internalIdBytes} bytes, not ${internalId.length}.`);
  }
  const number = varint(tableNumber);
  const bytes = new Uint8Array(number.length + internalIdBytes + checksumBytes);
  bytes.set(number);
  bytes.set(internalId, number.length);
  const checked = bytes.length - checksumBytes;
  bytes.set(fletcher16(bytes.subarray(0, checked)), checked);
  return encodeBase32(bytes);
}

/** Decodes an id; null for any other encoding than that of `encodeDocumentId`. */
export function decodeDocumentId(text: string): DocumentId | null {
  const known = decoded.get(text);
  if (known !== undefined) return known;
  const id = decode(text);
  if (id !== null) keepDecoded(text, id);
  return id;
}

/** Tells in Convex's words why `decodeDocumentId` refuses a text. */
export function undecodableReason(text: string): string {
  const size = Buffer.byteLength(text);
  const invalidLength = `Invalid ID length ${size}`;
  if (size < minLength || size > maxLength) return invalidLength;
  const bytes = decodeBase32(text);
  if (bytes === null) return "ID wasn't valid base32";
  const numberLength = bytes.findIndex((byte) => byte < 0x80) + 1;
  if (fromVarint(bytes.subarray(0, numberLength)) === null) return "Invalid table number";
  const checked = numberLength + internalIdBytes;
  const [low, high] = bytes.subarray(checked);
  if (low === undefined || high === undefined) return invalidLength;
  const [expectedLow, expectedHigh] = fletcher16(bytes.subarray(0, checked));
  const [found, expected] = [high * 0x100 + low, expectedHigh * 0x100 + expectedLow];
  return found === expected ? invalidLength : `Invalid ID version ${found} (expected ${expected})`;
}

/** The id of a new document. Its document is soon read or written, so the id is kept like a decoded one. */
export function newDocumentId(id: DocumentId): string {
  const text = encodeDocumentId(id);
  keepDecoded(text, id);
  return text;
}

function keepDecoded(text: string, id: DocumentId): void {
  if (decoded.size >= maxDecoded) decoded.clear();
  decoded.set(text, id);
}

function decode(text: string): DocumentId | null {
  if (text.length < minLength || text.length > maxLength) return null;
  const bytes = decodeBase32(text);
  if (bytes === null) return null;
  const numberLength = bytes.length - internalIdBytes - checksumBytes;
  const tableNumber = fromVarint(bytes.subarray(0, numberLength));
  if (tableNumber === null) return null;
  const id = { tableNumber, internalId: bytes.slice(numberLength, numberLength + internalIdBytes) };
  // Encoding again checks the checksum, the padding bits and overlong numbers at once.
  return encodeDocumentId(id) === text ? id : null;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}

function fromVarint(bytes: Uint8Array): number | null {
  let value = 0;
  for (const [position, byte] of bytes.entries()) {
    const isLast = position === bytes.length - 1;
    if (byte < 0x80 !== isLast) return null;
    value += (byte & 0x7f) * 0x80 ** position;
  }
  return value >= 1 && value <= maxTableNumber ? value : null;
}

/** Fletcher-16 with modulus 256 (RFC 1145), low byte first. */
function fletcher16(bytes: Uint8Array): readonly [number, number] {
  let low = 0;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) & 0xff;
    high = (high + low) & 0xff;
  }
  return [low, high];
}

/** Five bits per character, most significant first; the last one is padded with zeros. */
function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(pending >> bits) & 31] as string;
    }
    pending &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + (alphabet[(pending << (5 - bits)) & 31] as string);
}

/** Null for a character outside the alphabet. Padding bits are dropped. */
function decodeBase32(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let length = 0;
  let pending = 0;
  let bits = 0;
  for (const character of text) {
    const digit = digits.get(character);
    if (digit === undefined) return null;
    pending = (pending << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = pending >> bits;
    pending &= (1 << bits) - 1;
  }
  return bytes;
}

import { decodeBase32, encodeBase32 } from "./base32.ts";

/** The content of a Convex document id: the table's number and 16 bytes that identify the document. */
export type DocumentId = { readonly tableNumber: number; readonly internalId: Uint8Array };

const internalIdBytes = 16;
const checksumBytes = 2;
const maxTableNumber = 0xffff_ffff;
// One to five bytes of table number, the internal id and the checksum, in base 32.
const minLength = 31;
const maxLength = 37;

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
  const body = [...varint(tableNumber), ...internalId];
  return encodeBase32(Uint8Array.from([...body, ...fletcher16(body)]));
}

/** Decodes an id; null for any other encoding than that of `encodeDocumentId`. */
export function decodeDocumentId(text: string): DocumentId | null {
  const known = decoded.get(text);
  if (known !== undefined) return known;
  const id = decode(text);
  if (id === null) return null;
  if (decoded.size >= maxDecoded) decoded.clear();
  decoded.set(text, id);
  return id;
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
function fletcher16(bytes: readonly number[]): readonly [number, number] {
  let low = 0;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) & 0xff;
    high = (high + low) & 0xff;
  }
  return [low, high];
}

const timestampBytes = 8;
const maxTimestamp = (1n << 64n) - 1n;

/** A timestamp in the protocol's encoding: base64 of a little-endian u64. */
export function encodeTimestamp(ts: bigint): string {
  const bytes = Buffer.alloc(timestampBytes);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, ts > maxTimestamp ? maxTimestamp : ts));
  return bytes.toString("base64");
}

/** Null when the text is not base64 of exactly eight bytes. */
export function decodeTimestamp(encoded: string): bigint | null {
  const bytes = Buffer.from(encoded, "base64");
  return bytes.length === timestampBytes && bytes.toString("base64") === encoded
    ? bytes.readBigUInt64LE()
    : null;
}

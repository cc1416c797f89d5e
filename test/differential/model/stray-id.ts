const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * An id in Convex's format, of a table with this number: the number in groups of seven bits, 16 bytes, and Fletcher's checksum,
 * all in base 32. Written from Convex's description, apart from the backend's own code.
 */
export function strayId(tableNumber: number, document: readonly number[]): string {
  const groups = tableNumber
    .toString(2)
    .padStart(Math.ceil(tableNumber.toString(2).length / 7) * 7, "0")
    .match(/.{7}/g)!;
  const table = groups.reverse().map((group, n) => parseInt((n < groups.length - 1 ? "1" : "0") + group, 2));
  const bytes = [...table, ...document];
  const low = bytes.reduce((sum, byte) => (sum + byte) % 256, 0);
  const high = bytes.reduce((sum, byte, n) => (sum + byte * (bytes.length - n)) % 256, 0);
  const bits = [...bytes, low, high].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits
    .match(/.{1,5}/g)!
    .map((group) => alphabet[parseInt(group.padEnd(5, "0"), 2)])
    .join("");
}

/**
 * A code as people type it, made the one that was hashed: capitals, no blanks, and Crockford's look-alikes
 * (I and L are 1, O is 0) in the part that is random.
 */
export function normalizeCode(typed: string): string {
  const plain = typed.replace(/\s+/g, "").toUpperCase();
  if (!plain.startsWith("GLN-")) return plain;
  return `GLN-${plain.slice(4).replace(/[IL]/g, "1").replace(/O/g, "0")}`;
}

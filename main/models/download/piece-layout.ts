/** Divides a file into pieces of `pieceBytes`. The last piece is the rest. */
export class PieceLayout {
  readonly sizeBytes: number;
  readonly pieceBytes: number;
  readonly count: number;

  constructor(sizeBytes: number, pieceBytes: number) {
    this.sizeBytes = sizeBytes;
    this.pieceBytes = pieceBytes;
    this.count = Math.ceil(sizeBytes / pieceBytes);
  }

  /** The first byte of a piece. */
  startOf(piece: number): number {
    return piece * this.pieceBytes;
  }

  bytesOf(piece: number): number {
    return Math.min(this.pieceBytes, this.sizeBytes - this.startOf(piece));
  }

  /** All pieces, starting at `first` and wrapping around. */
  from(first: number): readonly number[] {
    return Array.from({ length: this.count }, (_, index) => (first + index) % this.count);
  }
}

/** One bit per piece in base64. The first piece is the lowest bit of the first byte. */
export function bitsOf(pieces: ReadonlySet<number>, count: number): string {
  const bytes = Buffer.alloc(Math.ceil(count / 8));
  for (const piece of pieces) bytes[piece >> 3] = (bytes[piece >> 3] ?? 0) | (1 << (piece & 7));
  return bytes.toString("base64");
}

/** The pieces in `bits`. Null if its length does not match `count`. */
export function piecesIn(bits: string, count: number): Set<number> | null {
  const bytes = Buffer.from(bits, "base64");
  if (bytes.length !== Math.ceil(count / 8)) return null;
  const pieces = new Set<number>();
  for (let piece = 0; piece < count; piece++) {
    if (((bytes[piece >> 3] ?? 0) & (1 << (piece & 7))) !== 0) pieces.add(piece);
  }
  return pieces;
}

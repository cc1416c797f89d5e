/** Bytes of a message that is too large which are still delivered: enough for its type and its request's number. */
export const headBytes = 1_024;
/** The first allocation for a frame that arrives in parts. It grows with the frame, never ahead of it. */
const firstCapacity = 4_096;

const finalBit = 0x80;
const opcodeBits = 0x0f;
const maskBit = 0x80;
const lengthBits = 0x7f;
const maskBytes = 4;
const longestHeader = 14;
const firstControlOpcode = 8;
const maxControlBytes = 125;

type Frame = {
  readonly headerBytes: number;
  /** Bytes of the payload. */
  readonly payloadBytes: number;
  readonly isFinal: boolean;
  readonly isControl: boolean;
  readonly isContinuation: boolean;
};

type FrameGateOptions = {
  /** Receives whole frames, in order. It may call `hold`. */
  readonly deliver: (frame: Buffer, isControl: boolean) => void;
  /** Largest message in bytes at the moment. */
  readonly maxMessageBytes: () => number;
};

/**
 * Passes on a client's WebSocket frames (RFC 6455), each in one piece. Until a frame is complete, the gate keeps
 * exactly what has arrived. Of a message that is too large it passes on only the beginning, as a message of its own,
 * and drops the rest: so the call can be refused by its number, and the connection goes on.
 */
export class FrameGate {
  readonly #deliver: FrameGateOptions["deliver"];
  readonly #maxMessageBytes: () => number;
  /** Arrived while the gate was held, or not yet examined. */
  #unread: Buffer[] = [];
  #isHeld = false;
  #isRunning = false;
  /** The beginning of a frame, in the first `#length` bytes. */
  #partial: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Bytes of the present message in the frames that were delivered. */
  #messageBytes = 0;
  /** Bytes of a payload that are still to be dropped. */
  #skip = 0;
  /** The rest of the message is dropped. */
  #isDropping = false;
  #cutFrom: number | null = null;

  constructor({ deliver, maxMessageBytes }: FrameGateOptions) {
    this.#deliver = deliver;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Bytes kept of a message that has not arrived completely. */
  get keptBytes(): number {
    return this.#partial.length + this.#messageBytes;
  }

  /** Whether part of a message has arrived. */
  get isPartial(): boolean {
    return this.#length > 0 || this.#messageBytes > 0 || this.#skip > 0 || this.#isDropping;
  }

  /** While a message is delivered: how many bytes it has really, at least, if it is only the beginning. Else null. */
  get cutFrom(): number | null {
    return this.#cutFrom;
  }

  push(chunk: Buffer): void {
    this.#unread.push(chunk);
    this.#run();
  }

  /** Delivers nothing more until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#run();
  }

  /** Forgets what is kept, for good. */
  close(): void {
    this.#isHeld = true;
    this.#unread = [];
    this.#partial = Buffer.alloc(0);
    this.#length = 0;
    this.#messageBytes = 0;
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (!this.#isHeld) {
      const chunk = this.#unread.shift();
      if (chunk === undefined) break;
      const used = this.#take(chunk);
      if (used < chunk.length) this.#unread.unshift(chunk.subarray(used));
    }
    this.#isRunning = false;
  }

  /** Handles the next frame, or a part of one, at the chunk's beginning. Returns the number of bytes it has used. */
  #take(chunk: Buffer): number {
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, chunk.length);
      this.#skip -= skipped;
      return skipped;
    }
    return this.#length === 0 ? this.#takeFromChunk(chunk) : this.#takeMore(chunk);
  }

  #takeFromChunk(chunk: Buffer): number {
    const frame = frameAt(chunk);
    const needed = frame === null ? longestHeader : this.#neededOf(frame);
    if (frame === null || chunk.length < needed) {
      this.#keep(chunk);
      return chunk.length;
    }
    this.#pass(frame, chunk.subarray(0, needed));
    return needed;
  }

  #takeMore(chunk: Buffer): number {
    const before = frameAt(this.#partial.subarray(0, this.#length));
    // Byte by byte, a header has no more than it needs.
    const needed = before === null ? this.#length + 1 : this.#neededOf(before);
    // The limit may have changed meanwhile, so that less is needed.
    const used = Math.max(0, Math.min(needed - this.#length, chunk.length));
    this.#keep(chunk.subarray(0, used));
    const kept = this.#partial.subarray(0, this.#length);
    const frame = frameAt(kept);
    if (frame === null || this.#length < this.#neededOf(frame)) return used;
    this.#partial = Buffer.alloc(0);
    this.#length = 0;
    this.#pass(frame, kept);
    return used;
  }

  /** Bytes of the frame that must have arrived to pass it on. */
  #neededOf(frame: Frame): number {
    const { headerBytes, payloadBytes, isControl, isContinuation } = frame;
    // The receiver refuses it by its header.
    if (isControl && payloadBytes > maxControlBytes) return headerBytes;
    if (!this.#isCut(frame)) return headerBytes + payloadBytes;
    return isContinuation ? headerBytes : headerBytes + Math.min(payloadBytes, headBytes);
  }

  #isCut({ isControl, isContinuation, payloadBytes }: Frame): boolean {
    if (isControl) return false;
    if (isContinuation && this.#isDropping) return true;
    return (isContinuation ? this.#messageBytes : 0) + payloadBytes > this.#maxMessageBytes();
  }

  /** @param bytes the frame, or as much of it as is passed on. */
  #pass(frame: Frame, bytes: Buffer): void {
    const { headerBytes, payloadBytes, isFinal, isControl, isContinuation } = frame;
    if (isControl) {
      this.#skip = headerBytes + payloadBytes - bytes.length;
      this.#deliver(bytes, true);
      return;
    }
    if (!this.#isCut(frame)) {
      // Of a message in fragments each fragment is kept. Copied, it does not keep its neighbors in the chunk, too.
      this.#messageBytes = isFinal ? 0 : (isContinuation ? this.#messageBytes : 0) + payloadBytes;
      this.#deliver(isFinal && !isContinuation ? bytes : copyOf(bytes), false);
      return;
    }
    this.#skip = headerBytes + payloadBytes - bytes.length;
    const wasDropping = this.#isDropping && isContinuation;
    this.#isDropping = !isFinal;
    if (wasDropping) return;
    const size = (isContinuation ? this.#messageBytes : 0) + payloadBytes;
    this.#messageBytes = 0;
    this.#cutFrom = size;
    this.#deliver(isContinuation ? emptyEnd() : shortened(bytes, headerBytes), false);
    this.#cutFrom = null;
  }

  #keep(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#partial.length) {
      const frame = this.#length === 0 ? frameAt(bytes) : frameAt(this.#partial.subarray(0, this.#length));
      const most = frame === null ? longestHeader : this.#neededOf(frame);
      const wanted = Math.max(firstCapacity, length, 2 * this.#partial.length);
      const grown = Buffer.allocUnsafeSlow(Math.max(length, Math.min(wanted, most)));
      this.#partial.copy(grown, 0, 0, this.#length);
      this.#partial = grown;
    }
    bytes.copy(this.#partial, this.#length);
    this.#length = length;
  }
}

/** Reads a frame's header. Null if it is not complete. */
function frameAt(bytes: Buffer): Frame | null {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return null;
  const short = second & lengthBits;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const headerBytes = 2 + lengthBytes + ((second & maskBit) === 0 ? 0 : maskBytes);
  if (bytes.length < headerBytes) return null;
  const opcode = first & opcodeBits;
  const long =
    lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(lengthBytes === 8 ? bytes.readBigUInt64BE(2) : 0);
  return {
    headerBytes,
    payloadBytes: lengthBytes === 0 ? short : long,
    isFinal: (first & finalBit) !== 0,
    isControl: opcode >= firstControlOpcode,
    isContinuation: opcode === 0,
  };
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** A final frame with the same opcode and mask, and the part of the payload that is there. */
function shortened(bytes: Buffer, headerBytes: number): Buffer {
  const payload = bytes.subarray(headerBytes, headerBytes + headBytes);
  const mask = bytes.subarray(headerBytes - maskBytes, headerBytes);
  const header = Buffer.from([((bytes[0] ?? 0) & opcodeBits) | finalBit, maskBit | 126, 0, 0]);
  header.writeUInt16BE(payload.length, 2);
  return Buffer.concat([header, mask, payload]);
}

/** The final frame of a message in fragments, without payload. */
function emptyEnd(): Buffer {
  return Buffer.from([finalBit, maskBit, 0, 0, 0, 0]);
}

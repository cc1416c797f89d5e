/** Messages of the Wayland protocol: object, opcode and size in two words, then the arguments, each padded to words. */
export type WaylandMessage = { readonly object: number; readonly opcode: number; readonly body: Buffer };

/** libwayland's own limit. Longer messages do not exist. */
const longestBytes = 4_096;

type Argument = number | string;

export function encodeMessage(object: number, opcode: number, args: readonly Argument[]): Buffer {
  const parts = args.map((argument) => (typeof argument === "number" ? word(argument) : text(argument)));
  const body = Buffer.concat(parts);
  const size = 8 + body.length;
  return Buffer.concat([word(object), word(size * 0x1_0000 + opcode), body]);
}

/** Removes the complete messages from the front. Null if the bytes are not Wayland. */
export function decodeMessages(
  buffer: Buffer,
): { readonly messages: readonly WaylandMessage[]; readonly rest: Buffer } | null {
  const messages: WaylandMessage[] = [];
  let at = 0;
  while (buffer.length - at >= 8) {
    const size = buffer.readUInt16LE(at + 6);
    if (size < 8 || size > longestBytes) return null;
    if (buffer.length - at < size) break;
    messages.push({
      object: buffer.readUInt32LE(at),
      opcode: buffer.readUInt16LE(at + 4),
      body: buffer.subarray(at + 8, at + size),
    });
    at += size;
  }
  return { messages, rest: buffer.subarray(at) };
}

/**
 * Reads a string argument at this offset: its length with the closing zero, then the bytes. Null if the length
 * exceeds the message.
 */
export function readString(
  body: Buffer,
  at: number,
): { readonly value: string; readonly next: number } | null {
  if (body.length < at + 4) return null;
  const length = body.readUInt32LE(at);
  const end = at + 4 + length;
  if (length === 0 || end > body.length) return null;
  return { value: body.toString("utf8", at + 4, end - 1), next: at + 4 + padded(length) };
}

function word(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function text(value: string): Buffer {
  const length = Buffer.byteLength(value) + 1;
  const buffer = Buffer.alloc(4 + padded(length));
  buffer.writeUInt32LE(length);
  buffer.write(value, 4);
  return buffer;
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

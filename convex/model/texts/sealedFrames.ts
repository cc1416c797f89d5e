import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";

// Large content is encrypted in frames, so that it is never in memory as a whole, and a stretch of it can be read without the rest.
// A frame's nonce is its number and whether it is the last one. So frames that were moved, left out or cut off do not open. No
// nonce comes twice, since each content has a key of its own.

const frameBytes = 64 * 1024;
const tagBytes = 16;
const nonceBytes = 24;
const contentKeyBytes = 32;
/** Frames that are in memory together. */
const framesAtOnce = 8;

/** Bytes of the random salt that gives each content its own key. */
export const saltBytes = 16;

/** The key of one content. @param filesKey that of the organization's files. @param salt random bytes, used only once. */
export function contentKey(filesKey: Uint8Array, salt: Uint8Array): Uint8Array {
  return hkdf(sha256, filesKey, salt, new TextEncoder().encode("gleaner content 1"), contentKeyBytes);
}

/** The key from which those of an organization's files are made. @param dataKey that of the organization. */
export function filesKeyOf(dataKey: Uint8Array): Uint8Array {
  return hkdf(sha256, dataKey, undefined, new TextEncoder().encode("gleaner files 1"), contentKeyBytes);
}

/** Seals content as it comes. Each piece that it gives has several frames, and is overwritten by the next one. */
export async function* sealFrames(
  key: Uint8Array,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const plain = new Uint8Array(frameBytes);
  const sealed = new Uint8Array(framesAtOnce * (frameBytes + tagBytes));
  let [filled, used, frame] = [0, 0, 0];
  const seal = (isLast: boolean): void => {
    const end = used + filled + tagBytes;
    cipherOf(key, frame, isLast).encrypt(plain.subarray(0, filled), sealed.subarray(used, end));
    [filled, used, frame] = [0, end, frame + 1];
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      // A full frame waits for more content, because the last one is sealed differently.
      if (filled === frameBytes) seal(false);
      if (used === sealed.length) {
        yield sealed;
        used = 0;
      }
      const piece = chunk.subarray(at, at + frameBytes - filled);
      plain.set(piece, filled);
      filled += piece.length;
      at += piece.length;
    }
  }
  seal(true);
  yield sealed.subarray(0, used);
  // The garbage collector would keep many of them.
  for (const { buffer } of [plain, sealed]) buffer.transfer(0);
}

/** The length of sealed content. */
export function sealedLength(bytes: number): number {
  return bytes + (lastFrameOf(bytes) + 1) * tagBytes;
}

/** Whole frames with a stretch of content. `from`, `to`: where they lie in the sealed content. */
export type FrameGroup = {
  readonly first: number;
  readonly from: number;
  readonly to: number;
  /** The stretch in the opened frames. */
  readonly wanted: { readonly from: number; readonly to: number };
};

/** The frames of a stretch of content, in groups that are opened one after the other. Empty content has none. */
export function* framesAround(from: number, to: number): Generator<FrameGroup> {
  const groupBytes = framesAtOnce * frameBytes;
  const firstFrame = Math.floor(from / frameBytes);
  for (let at = firstFrame * frameBytes; at < to; at += groupBytes) {
    const first = at / frameBytes;
    const sealedAt = first * (frameBytes + tagBytes);
    yield {
      first,
      from: sealedAt,
      to: sealedAt + Math.ceil(Math.min(groupBytes, to - at) / frameBytes) * (frameBytes + tagBytes),
      wanted: { from: Math.max(0, from - at), to: Math.min(groupBytes, to - at) },
    };
  }
}

/**
 * Opens whole frames in their own memory. Throws if they are not what was sealed.
 * @param first the number of the first one. @param bytes the length of the whole content.
 */
export function openFrames(
  key: Uint8Array,
  sealed: Uint8Array<ArrayBuffer>,
  { first, bytes }: { readonly first: number; readonly bytes: number },
): Uint8Array<ArrayBuffer> {
  const last = lastFrameOf(bytes);
  let [used, frame] = [0, first];
  for (let at = 0; at < sealed.length; at += frameBytes + tagBytes) {
    const one = sealed.subarray(at, at + frameBytes + tagBytes);
    const end = used + one.length - tagBytes;
    cipherOf(key, frame, frame === last).decrypt(one, sealed.subarray(used, end));
    [used, frame] = [end, frame + 1];
  }
  return sealed.subarray(0, used);
}

function lastFrameOf(bytes: number): number {
  return Math.max(0, Math.ceil(bytes / frameBytes) - 1);
}

function cipherOf(key: Uint8Array, frame: number, isLast: boolean) {
  const nonce = new Uint8Array(nonceBytes);
  new DataView(nonce.buffer).setUint32(0, frame);
  nonce[nonceBytes - 1] = isLast ? 1 : 0;
  return xchacha20poly1305(key, nonce);
}

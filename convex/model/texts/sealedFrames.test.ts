import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contentKey,
  filesKeyOf,
  framesAround,
  openFrames,
  sealedLength,
  sealFrames,
} from "./sealedFrames.ts";

const frame = 64 * 1024;
const sealedFrame = frame + 16;
const key = new Uint8Array(32).fill(7);

/** Content of which no two frames are equal. */
function contentOf(bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + Math.floor(at / 251)) % 256);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

async function sealed(content: Uint8Array, chunkBytes = 100_000, by = key): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += chunkBytes) chunks.push(content.subarray(at, at + chunkBytes));
  const pieces: Uint8Array[] = [];
  for await (const piece of sealFrames(by, chunks)) pieces.push(piece.slice());
  return joined(pieces);
}

function opened(all: Uint8Array, bytes: number, from = 0, to = bytes, by = key): Uint8Array {
  const found: Uint8Array[] = [];
  for (const group of framesAround(from, to)) {
    const frames = openFrames(by, all.slice(group.from, group.to), { first: group.first, bytes });
    found.push(frames.subarray(group.wanted.from, group.wanted.to));
  }
  return joined(found);
}

const sizes = [0, 1, frame - 1, frame, frame + 1, 8 * frame, 8 * frame + 1, 9 * frame + 5];

it.each(sizes)("opens what it sealed, %d bytes, however they came", async (bytes) => {
  const content = contentOf(bytes);
  for (const chunkBytes of [frame, 70_001, 1_000_000]) {
    const all = await sealed(content, chunkBytes);
    expect(all).toHaveLength(sealedLength(bytes));
    expect(opened(all, bytes)).toEqual(content);
  }
});

it("opens any stretch without the frames around it", async () => {
  const content = contentOf(9 * frame + 5);
  const all = await sealed(content);
  const at = fc.oneof(
    fc.nat(content.length),
    fc.constantFrom(0, frame - 1, frame, frame + 1, 8 * frame, content.length),
  );
  fc.assert(
    fc.property(at, at, (one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      expect(opened(all, content.length, from, to)).toEqual(content.slice(from, to));
    }),
    { numRuns: 60 },
  );
});

describe("what was changed does not open", async () => {
  const content = contentOf(3 * frame + 9);
  const all = await sealed(content);
  const frames = [0, 1, 2, 3].map((n) => all.slice(n * sealedFrame, (n + 1) * sealedFrame));
  const ordered = (...order: number[]) => joined(order.map((n) => frames[n]!));

  it("a changed byte, in the text or in the sum of any frame", () => {
    for (const at of [0, sealedFrame - 1, sealedFrame + 5, all.length - 1]) {
      const changed = all.map((byte, n) => (n === at ? byte ^ 1 : byte));
      expect(() => opened(changed, content.length)).toThrow("invalid tag");
    }
  });

  it("frames in another order, or twice", () => {
    expect(() => opened(ordered(1, 0, 2, 3), content.length)).toThrow("invalid tag");
    expect(() => opened(ordered(0, 0, 2, 3), content.length)).toThrow("invalid tag");
  });

  it("content that was cut off between frames, or goes on behind its end", () => {
    expect(() => opened(ordered(0, 1, 2), 3 * frame)).toThrow("invalid tag");
    const longer = ordered(0, 1, 2, 3, 3);
    expect(() => opened(longer, longer.length - 5 * 16)).toThrow("invalid tag");
  });

  it("a part of a frame", () => {
    expect(() => opened(all.slice(0, all.length - 1), content.length)).toThrow("invalid tag");
    expect(() => openFrames(key, all.slice(0, 5), { first: 0, bytes: 1 })).toThrow("tagLength");
  });

  it("with another key", () => {
    expect(() => opened(all, content.length, 0, 5, new Uint8Array(32).fill(8))).toThrow("invalid tag");
  });
});

it("gives each organization and each content its own key", () => {
  const [own, other] = [new Uint8Array(64).fill(1), new Uint8Array(64).fill(2)];
  const [salt, otherSalt] = [new Uint8Array(16).fill(3), new Uint8Array(16).fill(4)];
  const keys = [
    contentKey(filesKeyOf(own), salt),
    contentKey(filesKeyOf(own), otherSalt),
    contentKey(filesKeyOf(other), salt),
    filesKeyOf(own),
    own.subarray(0, 32),
  ];
  expect(new Set(keys.map(String)).size).toBe(keys.length);
});

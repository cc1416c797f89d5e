import { expect, test } from "vitest";
import { FrameGate } from "./frame-gate.ts";

const mask = Buffer.from([1, 2, 3, 4]);
const most = 5_000;

/** A masked frame, as clients send it. */
function frame(text: string, { opcode = 1, final = true } = {}): Buffer {
  const payload = Buffer.from(text);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  const first = opcode | (final ? 0x80 : 0);
  const header = payload.length < 126 ? [first, 0x80 | payload.length] : [first, 0x80 | 127];
  const length = Buffer.alloc(payload.length < 126 ? 0 : 8);
  if (length.length > 0) length.writeBigUInt64BE(BigInt(payload.length));
  return Buffer.concat([Buffer.from(header), length, mask, masked]);
}

function textOf(bytes: Buffer): string {
  const short = (bytes[1] ?? 0) & 0x7f;
  const header = 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + 4;
  return Buffer.from(bytes.subarray(header).map((byte, at) => byte ^ (mask[at % 4] ?? 0))).toString();
}

function gating() {
  const passed: { text: string; cutFrom: number | null; first: number | undefined }[] = [];
  const gate: FrameGate = new FrameGate({
    deliver: (bytes) => passed.push({ text: textOf(bytes), cutFrom: gate.cutFrom, first: bytes[0] }),
    maxMessageBytes: () => most,
  });
  return { gate, passed, texts: () => passed.map(({ text }) => text) };
}

const large = "m".repeat(most + 1);
const stream = Buffer.concat([
  frame("one"),
  frame("x".repeat(most)),
  frame("ping", { opcode: 9 }),
  frame(large),
  frame("two"),
  frame("a".repeat(3_000), { final: false }),
  frame("b".repeat(3_000), { opcode: 0, final: false }),
  frame("c".repeat(3_000), { opcode: 0 }),
  frame("three"),
]);

test.each([1, 2, 3, 7, 100, 4_096, 1_000_000])(
  "frames in chunks of %i bytes pass whole, and of large messages only the beginning",
  (size) => {
    const { gate, passed, texts } = gating();
    for (let at = 0; at < stream.length; at += size) gate.push(Buffer.from(stream.subarray(at, at + size)));
    expect(texts()).toEqual([
      "one",
      "x".repeat(most),
      "ping",
      "m".repeat(1_024),
      "two",
      "a".repeat(3_000),
      "",
      "three",
    ]);
    expect(passed.flatMap(({ cutFrom }) => cutFrom ?? [])).toEqual([most + 1, 6_000]);
    // The message in fragments is ended, so that the next one is not part of it.
    expect(passed[6]?.first).toBe(0x80);
    expect(gate.keptBytes).toBe(0);
    expect(gate.isPartial).toBe(false);
  },
);

test("an announced length alone reserves no memory", () => {
  const { gate } = gating();
  gate.push(frame("x".repeat(most)).subarray(0, 20));
  expect(gate.keptBytes).toBeLessThanOrEqual(4_096);
  expect(gate.isPartial).toBe(true);
});

test("a held gate passes nothing, and keeps the order when it is released", () => {
  const { gate, texts } = gating();
  gate.hold();
  gate.push(Buffer.concat([frame("one"), frame("two")]));
  gate.push(frame("three"));
  expect(texts()).toEqual([]);
  gate.release();
  expect(texts()).toEqual(["one", "two", "three"]);
});

test("a control frame that is too long passes as its header, for the receiver to refuse", () => {
  const { gate, passed } = gating();
  gate.push(frame("p".repeat(4_000), { opcode: 9 }));
  expect(passed).toMatchObject([{ text: "" }]);
  expect(gate.keptBytes).toBe(0);
});

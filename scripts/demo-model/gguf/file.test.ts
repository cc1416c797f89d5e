import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeGguf, encodeGguf, type GgufFile, metadataValue } from "./file.ts";
import { text, u32 } from "./metadata.ts";
import { randomModel } from "./random-model.ts";
import type { TensorType } from "./tensor-encoding.ts";

const shape = { dim: 64, layers: 2, heads: 2, kvHeads: 2, ff: 128, ctx: 512, ropeBase: 10_000, eps: 1e-5 };
const probe = (type: TensorType, tied: boolean): GgufFile =>
  randomModel("probe-random", { ...shape, tied }, type);

describe("encodeGguf", () => {
  // llama.cpp has loaded files with exactly these bytes.
  it.each<[TensorType, boolean, string]>([
    ["f32", true, "2a8ce6e493b5ba32196f62363174de30e35051fce199a7033a377ae0b283110e"],
    ["f32", false, "596b31fb410b3f9000758a31b7f87ca0eb0e5165962d2d1ab11b5c9b3a8ac01b"],
    ["f16", true, "64449fec19c44290b4dc2d27f5cf79abeccf44a31b38353244880110eba6a0a2"],
    ["f16", false, "61d085efe7139f6daf405d2eecef1089983a5d1a768289b1382a6c9e3e5ec755"],
    ["q8_0", true, "0f8dcc76f4d9e31c6001c2534bf43f1308bb40aa57834aa68bd6867d793ba8c7"],
    ["q8_0", false, "e9041f231f0007fc88565f3af8f81a781e64e3307f6073d8265f2d97452cc980"],
  ])("encodeGguf writes the golden bytes: %s, tied: %s", (type, tied, hash) => {
    expect(
      createHash("sha256")
        .update(encodeGguf(probe(type, tied)))
        .digest("hex"),
    ).toBe(hash);
  });
});

describe("encodeGguf and decodeGguf", () => {
  it.each<TensorType>(["f32", "f16", "q8_0"])(
    "decodeGguf reads the metadata and the tensors that were written: %s",
    (type) => {
      const written = probe(type, false);
      const read = decodeGguf(encodeGguf(written));
      expect(read.metadata.map(([key]) => key)).toEqual(written.metadata.map(([key]) => key));
      expect(metadataValue(read, "tokenizer.ggml.tokens")).toEqual(
        metadataValue(written, "tokenizer.ggml.tokens"),
      );
      expect(metadataValue(read, "tokenizer.ggml.add_bos_token")).toBe(false);
      expect(metadataValue(read, "llama.attention.layer_norm_rms_epsilon")).toBeCloseTo(1e-5, 10);
      expect(read.tensors.map(({ name, shape: extents }) => [name, extents])).toEqual(
        written.tensors.map(({ name, shape: extents }) => [name, extents]),
      );
      expect(encodeGguf(read).equals(encodeGguf(probe(type, false)))).toBe(true);
    },
  );

  it("every type of metadata value survives encoding and decoding", () => {
    const metadata: GgufFile["metadata"] = [
      ["a.u8", { type: "u8", value: 255 }],
      ["a.i32", { type: "i32", value: -7 }],
      ["a.f32", { type: "f32", value: 0.5 }],
      ["a.u64", { type: "u64", value: 2n ** 63n }],
      ["a.bool", { type: "bool", value: true }],
      ["a.string", text("▁größer")],
      ["a.u64s", { type: "array", of: "u64", values: [1n, 2n] }],
      ["a.bools", { type: "array", of: "bool", values: [true, false] }],
      ["a.none", { type: "array", of: "string", values: [] }],
    ];
    expect(decodeGguf(encodeGguf({ metadata, tensors: [] })).metadata).toEqual(metadata);
  });

  it("decoding and encoding reproduces the shipped model byte for byte", () => {
    const shipped = readFileSync(
      join(import.meta.dirname, "../../../resources/demo-model/gleaner-demo-q8.gguf"),
    );
    expect(encodeGguf(decodeGguf(shipped)).equals(shipped)).toBe(true);
  });
});

describe("refusals", () => {
  const good = encodeGguf(probe("q8_0", true));
  const withByte = (offset: number, byte: number): Buffer => {
    const bad = Buffer.from(good);
    bad[offset] = byte;
    return bad;
  };

  it("decodeGguf refuses another magic number, another version and an empty file", () => {
    expect(() => decodeGguf(withByte(0, 0))).toThrow("not a GGUF file");
    expect(() => decodeGguf(withByte(4, 2))).toThrow("version 2");
    expect(() => decodeGguf(Buffer.alloc(0))).toThrow(RangeError);
  });

  it("decodeGguf refuses a file that was cut off anywhere", () => {
    for (let length = 0; length < good.length; length += 997) {
      expect(() => decodeGguf(good.subarray(0, length))).toThrow(RangeError);
    }
  });

  it("decodeGguf refuses counts that are too large before it allocates memory", () => {
    expect(() => decodeGguf(withByte(15, 0x7f))).toThrow("at most");
  });

  it("encodeGguf refuses a tensor whose numbers do not fill its shape", () => {
    const tensors = [{ name: "x", shape: [4], type: "f32", load: () => new Float32Array(3) } as const];
    expect(() => encodeGguf({ metadata: [["a", u32(1)]], tensors })).toThrow("x: 3 numbers");
  });
});

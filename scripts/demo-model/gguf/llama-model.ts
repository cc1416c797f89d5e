import type { Vocabulary } from "../tokenizer/vocabulary.ts";
import type { Tensor } from "./file.ts";
import { bool, f32, type Metadata, text, u32 } from "./metadata.ts";
import { type TensorType, tensorTypes } from "./tensor-encoding.ts";

/** The dimensions of a model of the llama architecture. */
export interface LlamaShape {
  readonly dim: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  /** Width of the feed-forward layer. */
  readonly ff: number;
  /** Context length in tokens. */
  readonly ctx: number;
  readonly ropeBase: number;
  /** The epsilon of the RMS norms. */
  readonly eps: number;
  /** Whether the output layer shares the embedding's weights. */
  readonly tied: boolean;
}

/** The metadata from which llama.cpp builds a llama model with an SPM vocabulary. */
export function llamaMetadata(
  name: string,
  shape: LlamaShape,
  vocabulary: Vocabulary,
  matrixType: TensorType,
): Metadata {
  return [
    ["general.architecture", text("llama")],
    ["general.name", text(name)],
    ["general.file_type", u32(tensorTypes[matrixType].fileType)],
    ["llama.context_length", u32(shape.ctx)],
    ["llama.embedding_length", u32(shape.dim)],
    ["llama.block_count", u32(shape.layers)],
    ["llama.feed_forward_length", u32(shape.ff)],
    ["llama.attention.head_count", u32(shape.heads)],
    ["llama.attention.head_count_kv", u32(shape.kvHeads)],
    ["llama.attention.layer_norm_rms_epsilon", f32(shape.eps)],
    ["llama.rope.dimension_count", u32(shape.dim / shape.heads)],
    ["llama.rope.freq_base", f32(shape.ropeBase)],
    // llama.cpp's name for SentencePiece with byte fallback.
    ["tokenizer.ggml.model", text("llama")],
    ["tokenizer.ggml.tokens", { type: "array", of: "string", values: vocabulary.tokens }],
    ["tokenizer.ggml.scores", { type: "array", of: "f32", values: vocabulary.scores }],
    ["tokenizer.ggml.token_type", { type: "array", of: "i32", values: vocabulary.types }],
    ["tokenizer.ggml.bos_token_id", u32(vocabulary.bos)],
    ["tokenizer.ggml.eos_token_id", u32(vocabulary.eos)],
    ["tokenizer.ggml.unknown_token_id", u32(vocabulary.unk)],
    ["tokenizer.ggml.add_bos_token", bool(false)],
    ["tokenizer.ggml.add_space_prefix", bool(false)],
    ["tokenizer.ggml.eot_token_id", u32(vocabulary.eot)],
    ["tokenizer.chat_template", text(vocabulary.chatTemplate)],
  ];
}

/** Returns a tensor's numbers by its name in the file. */
export type WeightSource = (name: string, shape: readonly number[]) => Float32Array;

/** The tensors of a llama model, in the file's order. The norms stay F32, because llama.cpp accepts nothing else. */
export function llamaTensors(
  shape: LlamaShape,
  vocabularySize: number,
  matrixType: TensorType,
  weights: WeightSource,
): readonly Tensor[] {
  const { dim, ff, layers, heads, kvHeads } = shape;
  const keyWidth = (dim / heads) * kvHeads;
  const tensor = (name: string, extents: readonly number[], type: TensorType): Tensor => ({
    name: `${name}.weight`,
    shape: extents,
    type,
    load: () => weights(`${name}.weight`, extents),
  });
  const matrix = (name: string, columns: number, rows: number): Tensor =>
    tensor(name, [columns, rows], matrixType);
  const norm = (name: string): Tensor => tensor(name, [dim], "f32");

  const blocks = Array.from({ length: layers }, (_, i) => `blk.${i}`).flatMap((block) => [
    norm(`${block}.attn_norm`),
    matrix(`${block}.attn_q`, dim, dim),
    matrix(`${block}.attn_k`, dim, keyWidth),
    matrix(`${block}.attn_v`, dim, keyWidth),
    matrix(`${block}.attn_output`, dim, dim),
    norm(`${block}.ffn_norm`),
    matrix(`${block}.ffn_gate`, dim, ff),
    matrix(`${block}.ffn_up`, dim, ff),
    matrix(`${block}.ffn_down`, ff, dim),
  ]);
  const output = shape.tied ? [] : [matrix("output", dim, vocabularySize)];
  return [matrix("token_embd", dim, vocabularySize), ...blocks, norm("output_norm"), ...output];
}

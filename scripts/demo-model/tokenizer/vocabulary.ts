/** llama.cpp's `llama_token_type`. */
export const tokenTypes = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

/** A vocabulary as stored in a GGUF file. Entry i of each list describes token i. */
export interface Vocabulary {
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  /** A higher score merges first. */
  readonly scores: readonly number[];
  readonly bos: number;
  readonly eos: number;
  readonly unk: number;
  /** Ends a turn instead of `eos`. */
  readonly eot: number;
  /** A Jinja template. */
  readonly chatTemplate: string;
}

/** Tokens that represent no text, by id. */
const controlTokens = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"] as const;
export const turnStart = 3;
export const turnEnd = 4;
/** The token of byte 0. The tokens of the other bytes follow. Text that no piece covers is spelled in bytes. */
export const firstByteToken = controlTokens.length;
/** Tokens that precede the pieces in every vocabulary. */
export const fixedTokens = firstByteToken + 256;

/** Each message as `<|im_start|>role`, line end, content, `<|im_end|>`, line end. */
const chatMl =
  "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n'}}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/** Control tokens, byte tokens, then `pieces` in the order in which they merge. */
export function createVocabulary(pieces: readonly string[]): Vocabulary {
  const byteTokens = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  return {
    tokens: [...controlTokens, ...byteTokens, ...pieces],
    types: [
      ...controlTokens.map((token) => (token === "<unk>" ? tokenTypes.unknown : tokenTypes.control)),
      ...byteTokens.map(() => tokenTypes.byte),
      ...pieces.map(() => tokenTypes.normal),
    ],
    scores: [...controlTokens.map(() => 0), ...byteTokens.map(() => 0), ...pieces.map((_, rank) => -rank)],
    bos: 1,
    eos: 2,
    unk: 0,
    eot: turnEnd,
    chatTemplate: chatMl,
  };
}

/** The pieces that spell any printable ASCII text; "▁" is SentencePiece's space. */
export const asciiPieces: readonly string[] = [
  "▁",
  ...Array.from({ length: 126 - 33 + 1 }, (_, i) => String.fromCharCode(33 + i)),
];

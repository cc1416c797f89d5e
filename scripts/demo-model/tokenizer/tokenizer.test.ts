import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSampler } from "../corpus/sampler.ts";
import { createEncoder } from "./encoder.ts";
import { splitIntoUnits } from "./split.ts";
import { trainVocabulary } from "./train-vocabulary.ts";
import { asciiPieces, createVocabulary, firstByteToken } from "./vocabulary.ts";

describe("splitIntoUnits", () => {
  it("splitIntoUnits splits text into words with the space before them, and single characters", () => {
    expect(splitIntoUnits("Pay 42 to Ann!\nü")).toEqual([
      "Pay",
      "▁",
      "4",
      "2",
      "▁to",
      "▁Ann",
      "!",
      "\n",
      "ü",
    ]);
  });
});

describe("trainVocabulary", () => {
  it("trainVocabulary trains the golden vocabulary from a thousand samples", () => {
    const sample = createSampler(11);
    const texts = Array.from({ length: 1_000 }, sample).flatMap(({ prompt, answer }) => [prompt, answer]);
    const { tokens, scores, types } = trainVocabulary(texts, 500);
    expect([tokens.length, scores.length, types.length]).toEqual([500, 500, 500]);
    expect(createHash("sha256").update(tokens.join("\n")).digest("hex")).toBe(
      "a049d6e37c988e491a65a21717b6bf010ffaaebafc1c7180a61d8c38f614d7cf",
    );
  });

  it("trainVocabulary merges the most frequent pair first, and no rare pair", () => {
    const learned = trainVocabulary(["aba ".repeat(5), "cd "], 1_000).tokens.slice(
      firstByteToken + 256 + asciiPieces.length,
    );
    expect(learned).toEqual(["ab", "aba"]);
  });
});

describe("the encoder", () => {
  const vocabulary = createVocabulary([...asciiPieces, "an", "na", "ana"]);
  const encode = createEncoder(vocabulary);
  const spelled = (text: string): readonly string[] => encode(text).map((id) => vocabulary.tokens[id]!);

  it("the encoder merges the pair with the best score first, and the leftmost of equal pairs", () => {
    expect(spelled("banana")).toEqual(["b", "an", "ana"]);
  });

  it("the encoder spells text in bytes if no piece covers it", () => {
    expect(spelled("ü\n")).toEqual(["<0xC3>", "<0xBC>", "<0x0A>"]);
  });

  it("the encoder does not treat text as a control token", () => {
    expect(encode("<s>")).toHaveLength(3);
  });
});

import type { LlamaModel, Token } from "node-llama-cpp";
import { vocabularySize } from "./vocabulary.ts";

/** At its ends, a piece of a text may be cut within a word or a character, which its own tokens would be other ones for. */
const looseTokens = 4;

/**
 * The tokens of a list of ids. Null if they are not this model's: it has no such tokens, or it writes their text with others. Clients
 * that tokenize by themselves often use another model's tokenizer, whose ids would be any words here.
 */
export function ownTokens(model: LlamaModel, ids: readonly number[]): readonly Token[] | null {
  const size = vocabularySize(model);
  if (ids.some((id) => id >= size)) return null;
  const tokens = ids as readonly Token[];
  return passagesOf(model, tokens).every((passage) => isOwnPassage(model, passage)) ? tokens : null;
}

/** The tokens between control tokens, which have no text. */
function passagesOf(model: LlamaModel, tokens: readonly Token[]): readonly (readonly Token[])[] {
  const passages: Token[][] = [[]];
  for (const token of tokens) {
    if (model.isSpecialToken(token)) passages.push([]);
    else passages.at(-1)?.push(token);
  }
  return passages;
}

function isOwnPassage(model: LlamaModel, tokens: readonly Token[]): boolean {
  const inner = tokens.slice(looseTokens, -looseTokens);
  if (inner.length === 0) return true;
  const again = model.tokenize(model.detokenize(tokens), false);
  // The loose tokens may become more or fewer, down to none and up to three for each: one for each byte of a cut character.
  const starts = Array.from({ length: 3 * looseTokens + 1 }, (_, at) => at);
  return starts.some((start) => inner.every((token, at) => again[start + at] === token));
}

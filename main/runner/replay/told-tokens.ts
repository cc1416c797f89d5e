import type { LlamaModel, Token } from "node-llama-cpp";
import { mostControlTokens } from "../../../app/jobs/answers/usage-check.ts";
import { unpackWritten } from "../../../app/jobs/answers/written-tokens.ts";
import type { Enforced } from "../generate/grammars.ts";
import { PassageText, type TextEnd } from "../generate/passage-text.ts";
import { vocabularySize } from "../generate/vocabulary.ts";

/*
 * A device tells the tokens of its answer. It may tell others than those that it wrote, so a checker takes only tokens that make the
 * answer's very text, by the code by which a device makes it.
 */

type Told = readonly (readonly Token[])[];

/**
 * The told tokens of each passage. Null if none were told, or if they are not this model's or more than it can read.
 * @param most tokens that fit the context beside the prompt.
 */
export function toldTokens(model: LlamaModel, written: string | undefined, most: number): Told | null {
  const passages = written === undefined ? null : unpackWritten(written);
  if (passages === null) return null;
  const ids = passages.flat();
  const size = vocabularySize(model);
  return ids.length <= most && ids.every((id) => id < size) ? (passages as Told) : null;
}

/** The text of told tokens as a device shows it, and the end that it shows; null: another one. */
export type ToldText = { readonly text: string; readonly end: TextEnd | null; readonly isEndless: boolean };

/**
 * The text of a passage's told tokens. Null if no device writes them: they go on after the end of the passage.
 * @param ends other tokens that end it.
 */
export function textOfTold(
  model: LlamaModel,
  tokens: readonly Token[],
  ends: ReadonlySet<Token>,
  form: {
    readonly before: readonly Token[];
    readonly enforced: Enforced | null;
    readonly stopTexts: readonly string[];
  },
): ToldText | null {
  if (tokens.some((token) => model.isEogToken(token) || ends.has(token))) return null;
  const written = new PassageText(model, { ...form, special: form.enforced !== null });
  let [text, hidden] = ["", 0];
  for (const [at, token] of tokens.entries()) {
    const { piece, shown, end } = written.push(token);
    text += shown;
    if (end !== null) return at === tokens.length - 1 ? { text, end, isEndless: false } : null;
    if (piece === "" && !written.isInsideCharacter) hidden += 1;
  }
  const { shown, end } = written.flush();
  return { text: text + shown, end, isEndless: hidden > mostControlTokens };
}

import { charAt, type Chars, charsIn } from "./chars.ts";

/** A literal, or one character of a set. */
export type GrammarText = {
  readonly kind: "text";
  /** The most that llama.cpp keeps of it. */
  readonly elements: number;
  /** Its first characters. */
  readonly first: Chars;
  /** All its characters. */
  readonly chars: Chars;
  /** Null for a set. */
  readonly literal: string | null;
};

/** The parts of a grammar. */
export type GrammarPart =
  | GrammarText
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "choice"; readonly of: readonly GrammarSequence[] }
  | {
      readonly kind: "repeated";
      readonly part: GrammarPart;
      readonly least: number;
      readonly most: number;
    };

export type GrammarSequence = readonly GrammarPart[];
export type GrammarChoice = readonly GrammarSequence[];
export type GrammarRepeated = Extract<GrammarPart, { kind: "repeated" }>;
export type GrammarRules = ReadonlyMap<string, readonly GrammarSequence[]>;

export function literalText(literal: string, elements = literal.length): GrammarText {
  const first = charAt(literal.codePointAt(0) ?? 0);
  return { kind: "text", elements, first, chars: charsIn(literal), literal };
}

export function oneOf(chars: Chars, elements: number): GrammarText {
  return { kind: "text", elements, first: chars, chars, literal: null };
}

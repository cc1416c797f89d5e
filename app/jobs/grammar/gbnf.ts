import { anyChar, type Chars, complement, normal } from "./chars.ts";
import { costMistake } from "./cost.ts";
import { type GrammarPart, type GrammarRules, type GrammarSequence, literalText, oneOf } from "./parts.ts";

/** Bounds of a grammar that a requester wrote. */
export const grammarLimits = {
  /** UTF-16 units. */
  chars: 16 * 1024,
  rules: 300,
  /** Literals, sets and names of rules. The analysis takes about 10 microseconds for each. */
  parts: 1_000,
  depth: 30,
  repetitions: 500,
} as const;

class Mistake extends Error {}

/**
 * Describes the mistake in a grammar in llama.cpp's notation; null if there is no mistake. llama.cpp prints a grammar
 * that it cannot parse, and a grammar may contain the requester's data. So it is checked here first.
 */
export function grammarMistake(grammar: string): string | null {
  if (grammar.length > grammarLimits.chars) return `it is longer than ${grammarLimits.chars} characters`;
  if (grammar.includes("\0") || /\p{Surrogate}/u.test(grammar)) return "it is not well-formed text";
  try {
    return costMistake(grammarRules(grammar), "grammar");
  } catch (error) {
    if (error instanceof Mistake) return error.message;
    throw error;
  }
}

/** The shape of a grammar. Throws a mistake of its notation. Source: llama.cpp, grammars/README.md. */
export function grammarRules(grammar: string): GrammarRules {
  return new Reader(grammar).read();
}

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #rules = new Map<string, readonly GrammarSequence[]>();
  readonly #used = new Set<string>();
  #parts = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): GrammarRules {
    this.#space(true);
    while (this.#at < this.#text.length) {
      this.#rule();
      if (this.#rules.size > grammarLimits.rules)
        throw new Mistake(`it has more than ${grammarLimits.rules} rules`);
    }
    if (!this.#rules.has("root")) throw new Mistake("it has no rule named root");
    for (const name of this.#used) {
      if (!this.#rules.has(name)) throw new Mistake("it names a rule that it does not define");
    }
    return this.#rules;
  }

  #rule(): void {
    const name = this.#name();
    this.#space(false);
    if (!this.#take("::=")) throw this.#mistake("::= is missing");
    this.#space(true);
    this.#rules.set(name, this.#alternates(false, 0));
    if (this.#at < this.#text.length && !this.#take("\r\n") && !this.#take("\n")) {
      throw this.#mistake("a rule has to end at the end of a line");
    }
    this.#space(true);
  }

  #alternates(nested: boolean, depth: number): readonly GrammarSequence[] {
    if (depth > grammarLimits.depth) throw this.#mistake("it is nested too deeply");
    const found = [this.#sequence(nested, depth)];
    while (this.#take("|")) {
      this.#space(true);
      found.push(this.#sequence(nested, depth));
    }
    return found;
  }

  #sequence(nested: boolean, depth: number): GrammarSequence {
    const parts: GrammarPart[] = [];
    let symbols = 0;
    let repeats = 0;
    let lastRepeated = -1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === '"') {
        const from = this.#at;
        const literal = this.#literal();
        // An empty literal leaves nothing to repeat.
        if (literal === "") {
          symbols = 0;
          this.#space(nested);
          continue;
        }
        parts.push(literalText(literal, this.#at - from - 2));
      } else if (next === "[") {
        const from = this.#at;
        const chars = this.#set();
        parts.push(oneOf(chars, this.#at - from - 2));
      } else if (next === ".") {
        this.#at += 1;
        parts.push(oneOf(anyChar, 1));
      } else if (next === "(") {
        this.#at += 1;
        this.#space(true);
        parts.push({ kind: "choice", of: this.#alternates(true, depth + 1) });
        if (!this.#take(")")) throw this.#mistake(") is missing");
      } else if (next !== undefined && /[a-zA-Z0-9-]/.test(next)) {
        // A rule ends with its line, so this name does not begin the next rule.
        const name = this.#name();
        this.#used.add(name);
        parts.push({ kind: "rule", name });
      } else if (next !== undefined && "*+?{".includes(next)) {
        const part = parts.pop();
        if (symbols === 0 || part === undefined) throw this.#mistake("there is nothing to repeat");
        // Each sign after another one is a level, as a group would be.
        repeats = parts.length === lastRepeated ? repeats + 1 : 1;
        lastRepeated = parts.length;
        if (depth + repeats > grammarLimits.depth) throw this.#mistake("it is nested too deeply");
        parts.push({ kind: "repeated", part, ...this.#repetition(next) });
        this.#space(nested);
        continue;
      } else return parts;
      symbols += 1;
      this.#parts += 1;
      if (this.#parts > grammarLimits.parts)
        throw new Mistake(`it has more than ${grammarLimits.parts} parts`);
      this.#space(nested);
    }
  }

  #repetition(sign: string): { readonly least: number; readonly most: number } {
    this.#at += 1;
    if (sign !== "{") return { least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    const range = /^[ \t]*(\d{1,6})[ \t]*(?:(,)[ \t]*(\d{1,6})?[ \t]*)?\}/.exec(
      this.#text.slice(this.#at, this.#at + 40),
    );
    if (range === null) throw this.#mistake("{} has to contain one number or two");
    const [all, least, comma, most = comma === undefined ? least : "Infinity"] = range;
    if ([Number(least), Number(most)].some((each) => each > grammarLimits.repetitions && each < Infinity)) {
      throw this.#mistake(`at most ${grammarLimits.repetitions} repetitions are allowed`);
    }
    if (Number(least) > Number(most)) throw this.#mistake("the larger number in {} comes first");
    this.#at += all.length;
    return { least: Number(least), most: Number(most) };
  }

  #literal(): string {
    this.#at += 1;
    const chars: string[] = [];
    while (!this.#take('"')) chars.push(String.fromCodePoint(this.#char('"')));
    return chars.join("");
  }

  #set(): Chars {
    this.#at += 1;
    const isNegated = this.#take("^");
    const ranges: number[] = [];
    while (!this.#take("]")) {
      const from = this.#char("]");
      const isRange = this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]";
      if (isRange) this.#at += 1;
      const to = isRange ? this.#char("]") : from;
      if (from <= to) ranges.push(from, to + 1);
    }
    return isNegated ? complement(ranges) : normal(ranges);
  }

  /** The next code point of a literal or a set, which goes on to `end`. */
  #char(end: string): number {
    const code = this.#text.codePointAt(this.#at);
    const next = this.#text[this.#at];
    if (code === undefined || next === "\n" || next === "\r") throw this.#mistake(`${end} is missing`);
    this.#at += code > 0xffff ? 2 : 1;
    return next === "\\" ? this.#escape() : code;
  }

  #escape(): number {
    const sign = this.#text[this.#at] ?? "";
    const digits = { x: 2, u: 4, U: 8 }[sign];
    this.#at += 1;
    if (digits === undefined) {
      const plain = { t: "\t", r: "\r", n: "\n", "\\": "\\", '"': '"', "[": "[", "]": "]" }[sign];
      if (plain === undefined) throw this.#mistake("llama.cpp does not know an escape");
      return plain.charCodeAt(0);
    }
    const code = this.#text.slice(this.#at, this.#at + digits);
    if (!/^[0-9a-fA-F]+$/.test(code) || code.length !== digits || Number.parseInt(code, 16) > 0x10_ffff) {
      throw this.#mistake("an escape names no character");
    }
    this.#at += digits;
    return Number.parseInt(code, 16);
  }

  #name(): string {
    const [name = ""] = /^[a-zA-Z0-9-]+/.exec(this.#text.slice(this.#at, this.#at + 200)) ?? [];
    if (name === "" || name.length > 100) throw this.#mistake("a rule's name is missing or too long");
    this.#at += name.length;
    return name;
  }

  #space(newLines: boolean): void {
    for (;;) {
      const next = this.#text[this.#at];
      if (next === "#") {
        while (this.#at < this.#text.length && !"\r\n".includes(this.#text[this.#at] ?? "")) this.#at += 1;
      } else if (next === " " || next === "\t" || (newLines && (next === "\n" || next === "\r")))
        this.#at += 1;
      else return;
    }
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** Gives the position only: the text there may be private. */
  #mistake(message: string): Mistake {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    return new Mistake(`${message} (line ${line})`);
  }
}

import { charAt, type Chars, inverse, joined } from "../grammar/chars.ts";

/** The parts of a regular expression. `start` and `end` read nothing: the text has to begin or end there. */
export type Pattern =
  | { readonly kind: "chars"; readonly chars: Chars }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "sequence"; readonly parts: readonly Pattern[] }
  | { readonly kind: "choice"; readonly of: readonly Pattern[] }
  | { readonly kind: "repeated"; readonly part: Pattern; readonly least: number; readonly most: number };

/** A pattern, and others that the same text has to match, or must not match. */
export type ParsedPattern = {
  readonly pattern: Pattern;
  readonly ahead: readonly { readonly pattern: Pattern; readonly isWanted: boolean }[];
};

class Unsupported extends Error {}

/** Larger counts of a quantifier are not supported. */
const mostRepetitions = 500;
/** Groups within each other. */
const mostDepth = 50;

/**
 * Reads a regular expression of JavaScript with its `u` flag. Null for those beyond the regular ones: back references, word
 * boundaries, lookbehinds, and lookaheads other than at the beginning, right after `^`; also for properties of Unicode.
 * @param ignoresCase whether Latin letters match in both cases.
 */
export function parsePattern(source: string, ignoresCase = false): ParsedPattern | null {
  try {
    return new Reader(source, ignoresCase).read();
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

export function sequence(...parts: readonly Pattern[]): Pattern {
  return { kind: "sequence", parts };
}

export function choice(...of: readonly Pattern[]): Pattern {
  return { kind: "choice", of };
}

export function repeated(part: Pattern, least: number, most: number): Pattern {
  return { kind: "repeated", part, least, most };
}

export function chars(set: Chars): Pattern {
  return { kind: "chars", chars: set };
}

/** A text of these characters. */
export function textPattern(text: string): Pattern {
  return sequence(...Array.from(text, (char) => chars(charAt(codeOf(char)))));
}

const digits = rangesOf("09");
const wordChars = rangesOf("09AZ__az");
const blanks = rangesOf(
  "\t\r  \u00A0\u00A0\u1680\u1680\u2000\u200A\u2028\u2029\u202F\u202F\u205F\u205F\u3000\u3000\uFEFF\uFEFF",
);
const classes: Readonly<Record<string, Chars>> = {
  d: digits,
  D: inverse(digits),
  w: wordChars,
  W: inverse(wordChars),
  s: blanks,
  S: inverse(blanks),
};
const lineEnds = rangesOf("\n\n\r\r\u2028\u2029");
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** @param bounds the first and the last character of each range. */
function rangesOf(bounds: string): Chars {
  return joined(Array.from(bounds, (char, at) => codeOf(char) + (at % 2)));
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

class Reader {
  readonly #source: readonly string[];
  readonly #ignoresCase: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, ignoresCase: boolean) {
    this.#source = Array.from(source);
    this.#ignoresCase = ignoresCase;
  }

  read(): ParsedPattern {
    const isAnchored = this.#take("^");
    const ahead: { pattern: Pattern; isWanted: boolean }[] = [];
    while (isAnchored && this.#isNext("(?") && "=!".includes(this.#source[this.#at + 2] ?? " ")) {
      const isWanted = this.#source[this.#at + 2] === "=";
      this.#at += 3;
      ahead.push({ pattern: sequence({ kind: "start" }, this.#group()), isWanted });
    }
    const rest = this.#choice(isAnchored ? [{ kind: "start" }] : []);
    if (this.#at < this.#source.length) throw new Unsupported();
    // They belong to the first alternative only.
    if (ahead.length > 0 && rest.length > 1) throw new Unsupported();
    return { pattern: choice(...rest), ahead };
  }

  /** @param begun the first parts of the first alternative. */
  #choice(begun: readonly Pattern[] = []): readonly Pattern[] {
    const all = [this.#sequence(begun)];
    while (this.#take("|")) all.push(this.#sequence([]));
    return all;
  }

  #sequence(begun: readonly Pattern[]): Pattern {
    const parts = [...begun];
    for (let next = this.#peek(); next !== "" && next !== "|" && next !== ")"; next = this.#peek())
      parts.push(this.#quantified(this.#one()));
    return sequence(...parts);
  }

  #one(): Pattern {
    const next = this.#next();
    switch (next) {
      case "^":
        return { kind: "start" };
      case "$":
        return { kind: "end" };
      case ".":
        return chars(inverse(lineEnds));
      case "(":
        if (this.#take("?") && !this.#take(":")) this.#groupName();
        return this.#group();
      case "[":
        return chars(this.#set());
      case "\\":
        return chars(this.#escape(false));
      default:
        if ("*+?{}]".includes(next)) throw new Unsupported();
        return chars(this.#cased(charAt(codeOf(next))));
    }
  }

  /** The rest of a group. */
  #group(): Pattern {
    this.#depth += 1;
    if (this.#depth > mostDepth) throw new Unsupported();
    const inner = choice(...this.#choice());
    if (!this.#take(")")) throw new Unsupported();
    this.#depth -= 1;
    return inner;
  }

  #groupName(): void {
    if (!this.#take("<") || "=!".includes(this.#peek())) throw new Unsupported();
    while (this.#next() !== ">");
  }

  #quantified(part: Pattern): Pattern {
    const [least, most] = this.#counts();
    if (least === 1 && most === 1) return part;
    // A lazy one matches the same texts.
    this.#take("?");
    return repeated(part, least, most);
  }

  #counts(): readonly [number, number] {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return [1, 1];
    const end = this.#source.indexOf("}", this.#at);
    const [found, least, comma, most = comma === undefined ? least : "Infinity"] =
      /^(\d{1,6})(?:(,)(\d{1,6})?)?$/.exec(this.#source.slice(this.#at, Math.max(end, this.#at)).join("")) ??
      [];
    if (found === undefined) throw new Unsupported();
    this.#at = end + 1;
    const counts = [Number(least), Number(most)] as const;
    if (counts.some((each) => each > mostRepetitions && each < Infinity)) throw new Unsupported();
    return counts;
  }

  #set(): Chars {
    const isNegated = this.#take("^");
    const ranges: number[] = [];
    while (!this.#take("]")) {
      const from = this.#setItem();
      const isRange = this.#peek() === "-" && this.#source[this.#at + 1] !== "]";
      if (!isRange) {
        ranges.push(...from);
        continue;
      }
      this.#at += 1;
      const to = this.#setItem();
      if (to.length !== 2 || from.length !== 2) throw new Unsupported();
      ranges.push(from[0] ?? 0, to[1] ?? 0);
    }
    const set = this.#cased(joined(ranges));
    return isNegated ? inverse(set) : set;
  }

  #setItem(): Chars {
    const next = this.#next();
    return next === "\\" ? this.#escape(true) : charAt(codeOf(next));
  }

  /** The characters of an escape, after its backslash. Their case does not matter yet within a set. */
  #escape(isInSet: boolean): Chars {
    const next = this.#next();
    const set = classes[next];
    if (set !== undefined) return set;
    const code = this.#codeOfEscape(next, isInSet);
    return isInSet ? charAt(code) : this.#cased(charAt(code));
  }

  #codeOfEscape(next: string, isInSet: boolean): number {
    const control = controls[next];
    if (control !== undefined) return control;
    if (next === "b" && isInSet) return 8;
    if (next === "0" && !/\d/.test(this.#peek())) return 0;
    if (next === "c" && /[a-zA-Z]/.test(this.#peek())) return codeOf(this.#next()) % 32;
    if (next === "x") return this.#hex(2);
    if (next === "u") return this.#unicode();
    if ("^$\\.*+?()[]{}|/".includes(next) || (next === "-" && isInSet)) return codeOf(next);
    throw new Unsupported();
  }

  #unicode(): number {
    if (this.#take("{")) {
      const end = this.#source.indexOf("}", this.#at);
      const code = this.#hex(end - this.#at);
      this.#at += 1;
      return code;
    }
    const first = this.#hex(4);
    if (first < 0xd800 || first > 0xdbff || !this.#isNext("\\u")) return first;
    const at = this.#at;
    this.#at += 2;
    const second = this.#peek() === "{" ? 0 : this.#hex(4);
    if (second >= 0xdc00 && second <= 0xdfff) return 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    this.#at = at;
    return first;
  }

  #hex(length: number): number {
    const found = this.#source.slice(this.#at, this.#at + length).join("");
    if (length < 1 || found.length !== length || !/^[\da-fA-F]+$/.test(found)) throw new Unsupported();
    this.#at += length;
    return Number.parseInt(found, 16);
  }

  #cased(set: Chars): Chars {
    if (!this.#ignoresCase) return set;
    const shifted: number[] = [];
    for (let at = 0; at < set.length; at += 2) {
      const [from = 0, to = 0] = set.slice(at, at + 2);
      for (const [first, last, by] of [
        [65, 91, 32],
        [97, 123, -32],
      ] as const) {
        const [begin, end] = [Math.max(from, first), Math.min(to, last)];
        if (begin < end) shifted.push(begin + by, end + by);
      }
    }
    return joined([...set, ...shifted]);
  }

  #peek(): string {
    return this.#source[this.#at] ?? "";
  }

  #next(): string {
    const next = this.#peek();
    if (next === "") throw new Unsupported();
    this.#at += 1;
    return next;
  }

  #isNext(text: string): boolean {
    return Array.from(text).every((char, index) => this.#source[this.#at + index] === char);
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }
}

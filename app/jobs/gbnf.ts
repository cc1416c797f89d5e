/** Bounds of a grammar that a requester wrote. */
export const grammarLimits = {
  /** UTF-16 units. */
  chars: 16 * 1024,
  rules: 300,
  depth: 30,
  repetitions: 500,
} as const;

class Mistake extends Error {}

/**
 * What is wrong with a grammar in llama.cpp's notation; null when nothing is. It is looked at here before llama.cpp
 * sees it, which prints a grammar that it cannot parse: and a grammar may tell of its requester's data.
 * Source: llama.cpp, grammars/README.md.
 */
export function grammarMistake(grammar: string): string | null {
  if (grammar.length > grammarLimits.chars) return `it is longer than ${grammarLimits.chars} characters`;
  if (grammar.includes("\0") || /\p{Surrogate}/u.test(grammar)) return "it is not well-formed text";
  try {
    new Reader(grammar).read();
    return null;
  } catch (error) {
    if (error instanceof Mistake) return error.message;
    throw error;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #defined = new Set<string>();
  readonly #used = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    this.#space(true);
    while (this.#at < this.#text.length) {
      this.#rule();
      if (this.#defined.size > grammarLimits.rules)
        throw new Mistake(`it has more than ${grammarLimits.rules} rules`);
    }
    if (!this.#defined.has("root")) throw new Mistake("it has no rule named root");
    for (const name of this.#used) {
      if (!this.#defined.has(name)) throw new Mistake("it names a rule that it does not define");
    }
  }

  #rule(): void {
    this.#defined.add(this.#name());
    this.#space(false);
    if (!this.#take("::=")) throw this.#mistake("::= is missing");
    this.#space(true);
    this.#alternates(false, 0);
    if (this.#at < this.#text.length && !this.#take("\r\n") && !this.#take("\n")) {
      throw this.#mistake("a rule has to end with its line");
    }
    this.#space(true);
  }

  #alternates(nested: boolean, depth: number): void {
    if (depth > grammarLimits.depth) throw this.#mistake("it is nested too deeply");
    this.#sequence(nested, depth);
    while (this.#take("|")) {
      this.#space(true);
      this.#sequence(nested, depth);
    }
  }

  #sequence(nested: boolean, depth: number): void {
    let symbols = 0;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === '"') {
        const from = this.#at;
        this.#quoted('"');
        // Nothing cannot be repeated, and is nothing to repeat.
        if (this.#at === from + 2) {
          symbols = 0;
          this.#space(nested);
          continue;
        }
      } else if (next === "[") this.#characters();
      else if (next === ".") this.#at += 1;
      else if (next === "(") {
        this.#at += 1;
        this.#space(true);
        this.#alternates(true, depth + 1);
        if (!this.#take(")")) throw this.#mistake(") is missing");
      } else if (next !== undefined && /[a-zA-Z0-9-]/.test(next)) {
        // The next rule's name begins its line, where this rule has ended.
        this.#used.add(this.#name());
      } else if (next !== undefined && "*+?{".includes(next)) {
        if (symbols === 0) throw this.#mistake("there is nothing to repeat");
        this.#repetition(next);
        this.#space(nested);
        continue;
      } else return;
      symbols += 1;
      this.#space(nested);
    }
  }

  #repetition(sign: string): void {
    this.#at += 1;
    if (sign !== "{") return;
    const range = /^[ \t]*(\d{1,6})[ \t]*(?:(,)[ \t]*(\d{1,6})?[ \t]*)?\}/.exec(
      this.#text.slice(this.#at, this.#at + 40),
    );
    if (range === null) throw this.#mistake("{} has to hold one number or two");
    const [all, least, , most = least] = range;
    if (Math.max(Number(least), Number(most)) > grammarLimits.repetitions) {
      throw this.#mistake(`at most ${grammarLimits.repetitions} repetitions can be asked for`);
    }
    if (Number(least) > Number(most)) throw this.#mistake("{} has its larger number first");
    this.#at += all.length;
  }

  #characters(): void {
    this.#at += 1;
    this.#take("^");
    this.#quotedRest("]");
  }

  #quoted(end: string): void {
    this.#at += 1;
    this.#quotedRest(end);
  }

  #quotedRest(end: string): void {
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || next === "\n" || next === "\r") throw this.#mistake(`${end} is missing`);
      this.#at += 1;
      if (next === end) return;
      if (next === "\\") this.#escape();
    }
  }

  #escape(): void {
    const sign = this.#text[this.#at] ?? "";
    const digits = { x: 2, u: 4, U: 8 }[sign];
    this.#at += 1;
    if (digits === undefined) {
      if (sign === "" || !'tnr\\"[]'.includes(sign))
        throw this.#mistake("an escape is not one of llama.cpp's");
      return;
    }
    const code = this.#text.slice(this.#at, this.#at + digits);
    if (!/^[0-9a-fA-F]+$/.test(code) || code.length !== digits || Number.parseInt(code, 16) > 0x10_ffff) {
      throw this.#mistake("an escape is not one of a character");
    }
    this.#at += digits;
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

  /** Tells where, and nothing of what stands there. */
  #mistake(what: string): Mistake {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    return new Mistake(`${what} (line ${line})`);
  }
}

/** Chooses a whole number from 0 to `below - 1`. */
type Choose = (below: number) => number;
type Sampler = (choose: Choose, depth: number) => string;

const manyCharacters = Array.from(' aZ09"\\/é🐦\u2028\u007f\ufffd{}[]:,');
const mostRepetitions = 3;
/** Below this depth a sampler takes the first alternative and the fewest repetitions. */
const maxDepth = 60;

/** Samples texts of a grammar in llama.cpp's notation, as node-llama-cpp writes it. Throws on other notations. */
export function samplerOf(grammar: string): (choose: Choose) => string {
  const rules = new Map<string, Sampler>();
  for (const line of grammar.split("\n").filter((each) => each.trim() !== "")) {
    const [, name = "", body = ""] = /^([\w-]+) ::= (.*)$/.exec(line) ?? [];
    if (name === "") throw new Error(`no rule: ${line}`);
    rules.set(name, new RuleReader(body, rules).alternatives());
  }
  return (choose) => rules.get("root")?.(choose, 0) ?? "";
}

class RuleReader {
  readonly #parts: readonly string[];
  readonly #rules: ReadonlyMap<string, Sampler>;
  #at = 0;

  constructor(body: string, rules: ReadonlyMap<string, Sampler>) {
    const parts =
      body.match(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|[()|*+?]|[\w-]+|\s+/g) ?? [];
    if (parts.join("") !== body) throw new Error(`unknown notation: ${body}`);
    this.#parts = parts.filter((part) => part.trim() !== "");
    this.#rules = rules;
  }

  alternatives(): Sampler {
    const all = [this.#sequence()];
    while (this.#parts[this.#at] === "|") {
      this.#at += 1;
      all.push(this.#sequence());
    }
    return (choose, depth) => all[depth > maxDepth ? 0 : choose(all.length)]?.(choose, depth) ?? "";
  }

  #sequence(): Sampler {
    const all: Sampler[] = [];
    for (
      let part = this.#parts[this.#at];
      part !== undefined && !"|)".includes(part);
      part = this.#parts[this.#at]
    )
      all.push(this.#repeated(this.#one(part)));
    return (choose, depth) => all.map((each) => each(choose, depth)).join("");
  }

  #one(part: string): Sampler {
    this.#at += 1;
    if (part === "(") {
      const group = this.alternatives();
      this.#at += 1;
      return group;
    }
    if (part.startsWith('"')) {
      const text = JSON.parse(part) as string;
      return () => text;
    }
    if (part.startsWith("[")) {
      const set = part.replace(/\\U(\p{Hex}{8})/gu, "\\u{$1}");
      const pattern = new RegExp(`^${set}$`, "u");
      const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
      const bounds = Array.from(set.matchAll(/\\u\{?([\dA-F]{4,8})/g), ([, hex = ""]) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      );
      const fitting = [...new Set([...ascii, ...manyCharacters, ...bounds])].filter((each) =>
        pattern.test(each),
      );
      return (choose) => fitting[choose(fitting.length)] ?? "";
    }
    return (choose, depth) => {
      if (depth > 4 * maxDepth) throw new Error("a rule has no end");
      return this.#rules.get(part)?.(choose, depth + 1) ?? "";
    };
  }

  #repeated(one: Sampler): Sampler {
    const part = this.#parts[this.#at] ?? "";
    const bounds = /^\{(\d*)(,?)(\d*)\}$/.exec(part);
    if (bounds === null && !["*", "+", "?"].includes(part)) return one;
    this.#at += 1;
    const least = bounds === null ? (part === "+" ? 1 : 0) : Number(bounds[1]);
    const listed =
      bounds === null
        ? part === "?"
          ? 1
          : Infinity
        : bounds[2] === ""
          ? least
          : Number(bounds[3] || Infinity);
    const most = Math.min(listed, least + mostRepetitions);
    return (choose, depth) => {
      const count = depth > maxDepth ? least : least + choose(most - least + 1);
      return Array.from({ length: count }, () => one(choose, depth + 1)).join("");
    };
  }
}

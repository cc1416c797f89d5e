import { parseJson } from "../../json.ts";

/** A text that was cut. `start`: its characters so far. */
export class OpenText {
  readonly start: string;
  constructor(start: string) {
    this.start = start;
  }
}

/** A number, true, false or null, up to the cut. It may be complete. */
export class OpenWord {
  readonly start: string;
  constructor(start: string) {
    this.start = start;
  }
}

export class OpenList {
  readonly items: unknown[] = [];
}

/** The last name may be an `OpenText`, and may have no value yet. */
export class OpenObject {
  readonly names: (string | OpenText)[] = [];
  readonly values: unknown[] = [];
}

/** A value of which nothing was written yet. */
export const unwritten = Symbol("unwritten");

type Next = "value" | "item or end" | "name" | "name or end" | "colon" | "comma or end";

const blanks = /[ \t\n\r]*/y;
const word = /[-+.\w]*/y;
const numberStart = /^-?(?:$|(?:0|[1-9]\d*)(?:\.(?:\d+|$))?(?:[eE][-+]?(?:\d+|$))?)$/;
const words = ["true", "false", "null"];

/**
 * Reads a JSON text that may have been cut anywhere, and blanks around it. Complete values are as `JSON.parse` gives them, so
 * only the last ones are open. Null if the text is not the beginning of any JSON text. Reads each character once or twice.
 */
export function readJsonStart(text: string): { readonly value: unknown } | null {
  const reader = new Reader(text);
  return reader.readAll() ? { value: reader.close() } : null;
}

class Reader {
  readonly #text: string;
  readonly #open: (OpenList | OpenObject)[] = [];
  #root: unknown = unwritten;
  #next: Next = "value";
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** False if the text is not the beginning of JSON. */
  readAll(): boolean {
    for (;;) {
      this.#take(blanks);
      const sign = this.#text[this.#at];
      if (sign === undefined) return true;
      if (!this.#read(sign)) return false;
    }
  }

  /** Returns the whole value after the last character was read. */
  close(): unknown {
    const last = this.#open.at(-1);
    if (last instanceof OpenList && this.#next === "value") last.items.push(unwritten);
    if (last instanceof OpenObject && this.#next === "name") last.names.push(new OpenText(""));
    for (let value = this.#open.pop(); value !== undefined; value = this.#open.pop()) this.#put(value);
    return this.#root;
  }

  #read(sign: string): boolean {
    const parent = this.#open.at(-1);
    const canEnd = this.#next.endsWith("or end") && parent !== undefined;
    if (canEnd && sign === (parent instanceof OpenList ? "]" : "}")) {
      this.#at += 1;
      this.#open.pop();
      this.#put(wholeOf(parent));
      return true;
    }
    switch (this.#next) {
      case "comma or end":
        return sign === "," && canEnd && this.#step(parent instanceof OpenList ? "value" : "name");
      case "colon":
        return sign === ":" && this.#step("value");
      case "name":
      case "name or end": {
        const name = sign === '"' ? this.#readText() : undefined;
        if (name === undefined || !(parent instanceof OpenObject)) return false;
        parent.names.push(name);
        this.#next = "colon";
        return true;
      }
      case "value":
      case "item or end":
        return this.#readValue(sign);
    }
  }

  #step(next: Next): boolean {
    this.#at += 1;
    this.#next = next;
    return true;
  }

  #readValue(sign: string): boolean {
    if (sign === "[") {
      this.#open.push(new OpenList());
      return this.#step("item or end");
    }
    if (sign === "{") {
      this.#open.push(new OpenObject());
      return this.#step("name or end");
    }
    const value = sign === '"' ? this.#readText() : this.#readWord();
    if (value === undefined) return false;
    this.#put(value);
    return true;
  }

  /** Undefined if it is no JSON. */
  #readText(): string | OpenText | undefined {
    const text = this.#text;
    const begin = this.#at;
    let at = begin + 1;
    for (; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] !== "\\") continue;
      const length = text[at + 1] === "u" ? 6 : 2;
      if (at + length > text.length) {
        this.#at = text.length;
        return /^\\(?:u[0-9a-fA-F]*)?$/.test(text.slice(at)) ? openText(text.slice(begin, at)) : undefined;
      }
      at += length - 1;
    }
    this.#at = at + 1;
    if (at >= text.length) return openText(text.slice(begin));
    return parseJson(text.slice(begin, at + 1)) as string | undefined;
  }

  /** Undefined if it is no JSON. */
  #readWord(): unknown {
    const found = this.#take(word);
    if (this.#at < this.#text.length) return found === "" ? undefined : parseJson(found);
    const isStart = numberStart.test(found) || words.some((each) => each.startsWith(found));
    return isStart ? new OpenWord(found) : undefined;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #put(value: unknown): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = value;
    else if (parent instanceof OpenList) parent.items.push(value);
    else parent.values.push(value);
    this.#next = "comma or end";
  }
}

/** @param json the text's JSON without its last quote. */
function openText(json: string): OpenText | undefined {
  const start = parseJson(`${json}"`);
  // A device writes a character that was cut as one to three replacement characters.
  return typeof start === "string" ? new OpenText(start.replace(/\uFFFD{1,3}$/, "")) : undefined;
}

function wholeOf(value: OpenList | OpenObject): unknown {
  if (value instanceof OpenList) return value.items;
  return Object.fromEntries(value.names.map((name, index) => [name, value.values[index]]));
}

import type { Line } from "./lines.ts";

/** The text of a message, or the reason why there is none. */
export type Message =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "too long" }
  | { readonly kind: "broken"; readonly reason: string };

/**
 * Joins the lines of an object that spans several, at most `mostBytes` of them. Any other line is a message of its own.
 * A line that begins with `{`, without an indentation, always begins an object: printers of JSON indent nested ones.
 * After a broken object, lines are skipped until the next one that begins an object.
 */
export async function* messagesOf(lines: AsyncIterable<Line>, mostBytes: number): AsyncGenerator<Message> {
  let open: OpenObject | null = null;
  let skipping = false;
  for await (const line of lines) {
    if (line.kind === "too long") {
      yield line;
      skipping ||= open !== null;
      open = null;
      continue;
    }
    if (open !== null && line.text.startsWith("{")) {
      yield open.unclosed("before the next one begins");
      open = null;
    }
    const begins = line.text.trimStart().startsWith("{");
    if (open === null && !begins) {
      if (!skipping && line.text.trim() !== "") yield { kind: "message", text: line.text };
      continue;
    }
    open ??= new OpenObject();
    let state = open.add(line.text);
    if (state === "broken" && begins && open.lines > 1) {
      yield open.broken();
      open = new OpenObject();
      state = open.add(line.text);
    }
    const tooLong = open.bytes > mostBytes;
    if (tooLong) yield { kind: "too long" };
    else if (state === "closed") yield { kind: "message", text: open.text };
    else if (state === "broken") yield open.broken();
    skipping = tooLong || state === "broken";
    if (skipping || state === "closed") open = null;
  }
  if (open !== null) yield open.unclosed("at the end of the input");
}

/** No token of JSON spans two lines, so each line is read only once. */
const token = /\s*(?:([{}[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([\w.+-]+))/y;
const restOfLine = /\s*$/y;

type Expected = "key" | "key or end" | "colon" | "value" | "value or end" | "comma or end";

/** An object whose end is not read yet. It is broken as soon as no further line can make it JSON. */
class OpenObject {
  readonly #lines: string[] = [];
  readonly #nested: ("{" | "[")[] = [];
  #expected: Expected = "value";
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get lines(): number {
    return this.#lines.length;
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  add(line: string): "open" | "closed" | "broken" {
    this.#bytes += Buffer.byteLength(line) + (this.#lines.length > 0 ? 1 : 0);
    this.#lines.push(line);
    token.lastIndex = 0;
    for (let end = 0; ; end = token.lastIndex) {
      const found = token.exec(line);
      if (found === null) {
        restOfLine.lastIndex = end;
        return restOfLine.test(line) ? "open" : "broken";
      }
      const [, mark, text] = found;
      if (!this.#take(mark ?? (text === undefined ? "literal" : "text"))) return "broken";
      // JSON.parse judges the rest of the line.
      if (this.#nested.length === 0) return "closed";
    }
  }

  broken(): Message {
    if (this.#lines.length === 1) return { kind: "message", text: this.text };
    return { kind: "broken", reason: `Line ${this.#lines.length} of the object is not JSON.` };
  }

  unclosed(when: string): Message {
    return { kind: "broken", reason: `The object is not closed ${when}.` };
  }

  #take(found: string): boolean {
    const expected = this.#expected;
    const takesValue = expected === "value" || expected === "value or end";
    const takesKey = expected === "key" || expected === "key or end";
    switch (found) {
      case "{":
      case "[":
        this.#nested.push(found);
        this.#expected = found === "{" ? "key or end" : "value or end";
        return takesValue;
      case "}":
      case "]": {
        const opener = this.#nested.pop();
        this.#expected = "comma or end";
        return expected.endsWith("or end") && opener === (found === "}" ? "{" : "[");
      }
      case ",":
        this.#expected = this.#nested.at(-1) === "{" ? "key" : "value";
        return expected === "comma or end";
      case ":":
        this.#expected = "value";
        return expected === "colon";
      case "text":
        this.#expected = takesKey ? "colon" : "comma or end";
        return takesKey || takesValue;
      default:
        this.#expected = "comma or end";
        return takesValue;
    }
  }
}

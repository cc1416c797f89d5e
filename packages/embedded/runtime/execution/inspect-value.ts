import { types } from "node:util";
import { isNativeError } from "./thrown-value.ts";

/** Objects that are nested more deeply are only named. */
const maxDepth = 5;
const indentation = "  ";
const identifier = /^[\w$]+$/;

/** The place of a value: how deep, and below which objects. Keys of maps are formatted on one line. */
type Place = { readonly depth: number; readonly parents: readonly object[]; readonly isInLine: boolean };

/**
 * Formats values for a log as Convex does, which uses the package "object-inspect": objects with a line for each property,
 * arrays of short values on one line. Runs the developer's getters, so call it only while that code's time is limited. The
 * text is complete up to a number of characters.
 */
export class ValueInspector {
  #left: number;

  constructor(maxCharacters: number) {
    this.#left = maxCharacters;
  }

  inspect(value: unknown): string {
    return this.#format(value, { depth: 0, parents: [], isInLine: false });
  }

  #format(value: unknown, place: Place): string {
    if (typeof value === "object" && value !== null) return this.#object(value, place);
    const text = typeof value === "function" ? this.#function(value, place) : primitive(value, this.#left);
    this.#left -= text.length;
    return text;
  }

  #function(value: object & { readonly name?: unknown }, place: Place): string {
    const name = typeof value.name === "string" && value.name !== "" ? `: ${value.name}` : " (anonymous)";
    const parts = this.#properties(value, place);
    return `[Function${name}]${parts.length === 0 ? "" : ` { ${parts.join(", ")} }`}`;
  }

  #object(value: object, place: Place): string {
    if (place.depth >= maxDepth) return Array.isArray(value) ? "[Array]" : "[Object]";
    if (place.parents.includes(value)) return "[Circular]";
    if (Array.isArray(value)) return this.#array(value, place);
    if (isNativeError(value)) return this.#error(value, place);
    if (value instanceof Blob) return `Blob { size: ${value.size}, type: "${value.type}" }`;
    const shown = shownParts(value);
    if (shown !== null)
      return `${shown.name} ${this.#format(shown.parts, { ...below(place, value), isInLine: true })}`;
    const { inspect } = value as { readonly inspect?: unknown };
    if (typeof inspect === "function") return String((inspect as () => unknown).call(value));
    if (types.isMap(value)) return this.#map(value, place);
    if (types.isSet(value)) return this.#set(value, place);
    if (types.isWeakMap(value)) return "WeakMap { ? }";
    if (types.isWeakSet(value)) return "WeakSet { ? }";
    if (types.isBoxedPrimitive(value)) return `Object(${this.#format(value.valueOf(), below(place, value))})`;
    if (types.isDate(value) || types.isRegExp(value)) return String(value);
    const parts = this.#properties(value, place);
    const tag = tagOf(value);
    if (parts.length === 0) return `${tag}{}`;
    return `${tag}${place.isInLine ? `{ ${parts.join(", ")} }` : `{${indented(parts, place)}}`}`;
  }

  #array(value: readonly unknown[], place: Place): string {
    if (value.length === 0) return "[]";
    const parts: string[] = [];
    for (let index = 0; index < value.length && this.#left > 0; index += 1) {
      parts.push(Object.hasOwn(value, index) ? this.#format(value[index], below(place, value)) : "");
      this.#left -= 2;
    }
    parts.push(...this.#properties(value, place));
    const isShort = place.isInLine || parts.every((part) => !part.includes("\n"));
    return isShort ? `[ ${parts.join(", ")} ]` : `[${indented(parts, place)}]`;
  }

  #error(value: Error, place: Place): string {
    const parts = this.#properties(value, place);
    const title = `[${String(value)}]`;
    return parts.length === 0 ? title : `{ ${title} ${parts.join(", ")} }`;
  }

  #map(value: ReadonlyMap<unknown, unknown>, place: Place): string {
    const parts: string[] = [];
    for (const [key, each] of Map.prototype.entries.call(value) as Iterable<[unknown, unknown]>) {
      if (this.#left <= 0) break;
      const name = this.#format(key, { ...below(place, value), isInLine: true });
      this.#left -= 2;
      parts.push(`${name} => ${this.#format(each, below(place, value))}`);
    }
    return collection("Map", sizeOf(Map.prototype, value), parts, place);
  }

  #set(value: ReadonlySet<unknown>, place: Place): string {
    const parts: string[] = [];
    for (const each of Set.prototype.values.call(value) as Iterable<unknown>) {
      if (this.#left <= 0) break;
      this.#left -= 2;
      parts.push(this.#format(each, below(place, value)));
    }
    return collection("Set", sizeOf(Set.prototype, value), parts, place);
  }

  /** The enumerable properties, without the elements of an array. */
  #properties(value: object, place: Place): string[] {
    const parts: string[] = [];
    const within = below(place, value);
    const read = (key: PropertyKey): unknown => (value as Record<PropertyKey, unknown>)[key];
    // To name each element takes long, and there is no room for them.
    if (this.#left <= 0) return parts;
    const names = ArrayBuffer.isView(value) ? firstIndexes(value, this.#left) : Object.keys(value);
    for (const key of names) {
      if (this.#left <= 0) break;
      if (Array.isArray(value) && /^\d+$/.test(key)) continue;
      const name = identifier.test(key) ? key : primitive(key, this.#left);
      this.#left -= name.length + 2;
      parts.push(`${name}: ${this.#format(read(key), within)}`);
    }
    for (const symbol of Object.getOwnPropertySymbols(value)) {
      if (this.#left <= 0) break;
      if (!Object.prototype.propertyIsEnumerable.call(value, symbol)) continue;
      this.#left -= 2;
      parts.push(`[${String(symbol)}]: ${this.#format(read(symbol), within)}`);
    }
    return parts;
  }
}

/** The properties of a web API's object that Convex shows, and its name there; null for others. */
function shownParts(value: object): { readonly name: string; readonly parts: object } | null {
  if (value instanceof URL) {
    const { href, origin, protocol, host, hostname, port, pathname, hash, search } = value;
    const parts = { href, origin, protocol, host, hostname, port, pathname, hash, search };
    return { name: "URL", parts };
  }
  if (value instanceof Headers) {
    return { name: "Headers", parts: Object.fromEntries(Headers.prototype.entries.call(value)) };
  }
  if (value instanceof Request) {
    const { bodyUsed, headers, method, url } = value;
    return { name: "Request", parts: { bodyUsed, headers, method, url } };
  }
  if (value instanceof Response) {
    const { bodyUsed, headers, ok, status, statusText, url } = value;
    return { name: "Response", parts: { bodyUsed, headers, ok, status, statusText, url } };
  }
  return null;
}

/** The names of a buffer's first elements. */
function firstIndexes(view: ArrayBufferView, most: number): readonly string[] {
  const length = types.isTypedArray(view) ? Math.min(view.length, most) : 0;
  return Array.from({ length }, (_, index) => String(index));
}

function primitive(value: unknown, most: number): string {
  if (typeof value === "string") return quoted(value, most);
  if (typeof value === "bigint") return `${String(value)}n`;
  return Object.is(value, -0) ? "-0" : String(value);
}

const escapes: { readonly [character: string]: string } = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "'": "\\'",
  "\\": "\\\\",
};

function quoted(text: string, most: number): string {
  const kept = text.length > most ? text.slice(0, Math.max(most, 0)) : text;
  // oxlint-disable-next-line no-control-regex
  const escaped = kept.replace(/['\\\x00-\x1f]/g, (character) => escapes[character] ?? hex(character));
  return `'${escaped}'`;
}

function hex(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function below({ depth, parents, isInLine }: Place, parent: object): Place {
  return { depth: depth + 1, parents: [...parents, parent], isInLine };
}

function indented(parts: readonly string[], { depth }: Place): string {
  const line = `\n${indentation.repeat(depth + 1)}`;
  return `${line}${parts.join(`,${line}`)}\n${indentation.repeat(depth)}`;
}

function collection(type: string, size: number, parts: readonly string[], place: Place): string {
  const text = place.isInLine || parts.length === 0 ? parts.join(", ") : indented(parts, place);
  return `${type} (${size}) {${text}}`;
}

function sizeOf(prototype: object, value: object): number {
  return Object.getOwnPropertyDescriptor(prototype, "size")?.get?.call(value) as number;
}

/** The class of an object, with a space; "" for a plain one. */
function tagOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return "[Object: null prototype] ";
  // Each realm has its own `Object`.
  const isPlain =
    Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
  if (isPlain) return "";
  const { constructor } = value as { constructor?: { name?: unknown } };
  const name = typeof constructor === "function" ? constructor.name : undefined;
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const shown = Symbol.toStringTag in value ? `[${kind}] ` : "";
  return `${typeof name === "string" && name !== "" ? `${name} ` : ""}${shown}`;
}

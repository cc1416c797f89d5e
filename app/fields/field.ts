import { isRecord } from "../json.ts";

/**
 * How a field of a request is treated. `supported`: it has its effect. `neutral`: only values that ask for nothing are accepted.
 * `inert`: any value is accepted, and none has an effect.
 */
export type Support = "supported" | "neutral" | "inert";

/** A field of a request. Parsers, the OpenAPI document and docs/api.md take it from here. */
export type Field<Kind extends Support = Support> = {
  readonly support: Kind;
  /** For docs/api.md, in Markdown. Empty if the name says enough, as within an object. */
  readonly words: string;
  /** A value that a request may have. */
  readonly example?: unknown;
  /** Other fields that the example needs. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** The fields of its object, or of each object of its list. Undefined: they may have any names. */
  readonly fields?: Fields;
};

/** The fields of one object by their names. */
export type Fields = Readonly<Record<string, Field>>;

type More = Pick<Field, "beside" | "fields">;

export function supported(words: string, example: unknown, more: More = {}): Field<"supported"> {
  return { support: "supported", words, example, ...more };
}

export function neutral(words: string): Field<"neutral"> {
  return { support: "neutral", words };
}

export function inert(words: string): Field<"inert"> {
  return { support: "inert", words };
}

/** Fields that an object has besides those with more to say. */
export function names<Name extends string>(...all: readonly Name[]): Readonly<Record<Name, Field>> {
  return Object.fromEntries(all.map((name) => [name, { support: "supported", words: "" }])) as Record<
    Name,
    Field
  >;
}

/** Fields of an object that clients send, and that have no effect. */
export function unused<Name extends string>(...all: readonly Name[]): Readonly<Record<Name, Field>> {
  return Object.fromEntries(all.map((name) => [name, inert("")])) as Record<Name, Field>;
}

/**
 * The first field that the table does not have, and the known name that was probably meant. Null if all are known.
 * @param levels how many levels of objects are looked at; 1 is the value itself.
 */
export function unknownField(value: unknown, fields: Fields, levels = Infinity): UnknownField | null {
  return firstUnknown(value, fields, levels, []);
}

export type UnknownField = {
  readonly path: readonly PropertyKey[];
  readonly meant: string | null;
};

function firstUnknown(
  value: unknown,
  fields: Fields,
  levels: number,
  path: readonly PropertyKey[],
): UnknownField | null {
  if (levels === 0) return null;
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      const unknown = isRecord(each) ? firstUnknown(each, fields, levels, [...path, index]) : null;
      if (unknown !== null) return unknown;
    }
    return null;
  }
  if (!isRecord(value)) return null;
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) return { path: [...path, name], meant: nearest(name, Object.keys(fields)) };
    const inside = field.fields;
    const unknown = inside === undefined ? null : firstUnknown(inner, inside, levels - 1, [...path, name]);
    if (unknown !== null) return unknown;
  }
  return null;
}

/** Longer names are no slips of a known one. */
const mostNameChars = 40;

/** The known name that differs least. Null if more than two characters differ, or more than a third of them. */
export function nearest(name: string, known: readonly string[]): string | null {
  if (name.length > mostNameChars) return null;
  const plain = plainName(name);
  const most = Math.min(2, Math.floor(plain.length / 3));
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const each of known) {
    const distance = editDistance(plain, plainName(each));
    if (distance <= most && distance < (best?.distance ?? Infinity)) best = { name: each, distance };
  }
  return best?.name ?? null;
}

/** Other languages write names as maxTokens or max-tokens. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, "");
}

/** How many characters have to be added, removed or replaced to get from one text to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let at = 1; at <= to.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (from[line - 1] === to[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

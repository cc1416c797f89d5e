import { isRecord, recordOf } from "../../json.ts";
import type { JsonSchema } from "./schema-rules.ts";

/** A schema within another one. Its values are finite as soon as `missing` is 0. */
type Part = {
  /** Its name in `$defs`. Null for other parts. */
  readonly definition: string | null;
  /** The parts that a value consists of, or may be. */
  readonly inner: Part[];
  /** The parts whose values may contain one of this. */
  readonly outer: Part[];
  missing: number;
};

/**
 * Returns the name of a definition that only values without an end could hold, since each contains another one; null if all
 * parts of a parsed schema have finite values. As in the grammar, an object has all properties. Linear in the schema's size.
 */
export function endlessDefinition(schema: JsonSchema): string | null {
  const graph = new PartGraph(schema);
  const finite = graph.parts.filter(({ missing }) => missing === 0);
  for (let part = finite.pop(); part !== undefined; part = finite.pop()) {
    for (const outer of part.outer) {
      outer.missing -= 1;
      if (outer.missing === 0) finite.push(outer);
    }
  }
  const seen = new Set<Part>();
  let endless = graph.parts.find(({ missing }) => missing > 0);
  // Each endless part needs another one, so this way leads into a circle of them.
  while (endless !== undefined && !seen.has(endless)) {
    if (endless.definition !== null) seen.add(endless);
    endless = endless.inner.find(({ missing }) => missing > 0);
  }
  return endless?.definition ?? null;
}

class PartGraph {
  readonly parts: Part[] = [];
  readonly #definitions = new Map<string, Part>();

  constructor(schema: JsonSchema) {
    const definitions = Object.entries(recordOf(schema["$defs"]));
    for (const [name] of definitions) this.#definitions.set(name, this.#add(name));
    for (const [name, each] of definitions) {
      const part = this.#definitions.get(name);
      if (part !== undefined) this.#link(part, [this.#read(each)], 1);
    }
    this.#read(schema);
  }

  #add(definition: string | null = null): Part {
    const part = { definition, inner: [], outer: [], missing: 0 };
    this.parts.push(part);
    return part;
  }

  #link(part: Part, inner: readonly Part[], missing = inner.length): Part {
    part.inner.push(...inner);
    part.missing = missing;
    for (const each of inner) each.outer.push(part);
    return part;
  }

  #read(schema: unknown): Part {
    const given = recordOf(schema);
    const part = this.#add();
    if (typeof given["$ref"] === "string") {
      const definition = this.#definitions.get(given["$ref"].replace("#/$defs/", ""));
      return definition === undefined ? part : this.#link(part, [definition]);
    }
    if (Array.isArray(given["oneOf"]))
      return this.#link(
        part,
        given["oneOf"].map((each) => this.#read(each)),
        1,
      );
    // Parts that a value need not have are read, too: a model that begins one would never end it.
    const needed = neededOf(given).map((each) => this.#read(each));
    for (const each of [given["items"], given["additionalProperties"]]) if (isRecord(each)) this.#read(each);
    return this.#link(part, needed);
  }
}

/** The schemas of the members that each object or list has. */
function neededOf(given: JsonSchema): readonly unknown[] {
  const first: readonly unknown[] = Array.isArray(given["prefixItems"]) ? given["prefixItems"] : [];
  const members = [...Object.values(recordOf(given["properties"])), ...first];
  if (Number(given["minItems"] ?? 0) > first.length && isRecord(given["items"])) members.push(given["items"]);
  if (Number(given["minProperties"] ?? 0) > members.length && isRecord(given["additionalProperties"]))
    members.push(given["additionalProperties"]);
  return members;
}

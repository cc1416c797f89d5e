import { recordOf } from "../../json.ts";
import type { JsonSchema } from "../grammar/schema-rules.ts";

const maxDepth = 12;

/** The steps left for the schemas of one request. They share them, since each step costs time. */
export type StepBudget = {
  /** For comparing alternatives. */
  left: number;
  /** For counting how alternatives that references nest in each other multiply. */
  nested: number;
  /** For joining the parts of `allOf`: their fields and the items of their lists. */
  joined: number;
};

/**
 * A step of comparing looks at one schema, one property or one constant. All of them take 1 to 10 ms. A step of counting
 * looks at one part of a grammar. All of them take 10 to 35 ms.
 */
export function stepBudget(): StepBudget {
  return { left: 25_000, nested: 1_500, joined: 20_000 };
}

/**
 * Whether a value could match two alternatives of some `oneOf`, which JSON Schema forbids. False only if that is certain: by
 * the type, the constants or a property with its own constants in each. Also true if the budget runs out, and then less than
 * 0 steps are left. The alternatives are as `parseSchema` makes them.
 */
export function mayOverlap(
  alternatives: readonly unknown[],
  definitions: JsonSchema,
  budget: StepBudget,
): boolean {
  const comparison = new Comparison(definitions, budget);
  return alternatives.some((each, index) =>
    alternatives.slice(0, index).some((other) => comparison.mayOverlap(each, other, 1)),
  );
}

class Comparison {
  readonly #definitions: JsonSchema;
  readonly #budget: StepBudget;

  constructor(definitions: JsonSchema, budget: StepBudget) {
    this.#definitions = definitions;
    this.#budget = budget;
  }

  mayOverlap(one: unknown, other: unknown, depth: number): boolean {
    if (depth > maxDepth || !this.#spend(1)) return true;
    const [a, b] = [recordOf(one), recordOf(other)];
    for (const [split, rest] of [
      [a, b],
      [b, a],
    ] as const) {
      if (typeof split["$ref"] === "string") {
        const name = split["$ref"].replace("#/$defs/", "");
        return this.mayOverlap(this.#definitions[name], rest, depth + 1);
      }
      if (Array.isArray(split["oneOf"]))
        return split["oneOf"].some((each) => this.mayOverlap(each, rest, depth + 1));
    }
    const [ofA, ofB] = [constantsOf(a), constantsOf(b)];
    if (!this.#spend((ofA?.length ?? 0) + (ofB?.length ?? 0))) return true;
    if (ofA !== null && ofB !== null) return shareOne(ofA, ofB);
    if (ofA !== null) return ofA.some((each) => typesOf(b).some((type) => isOfType(each, type)));
    if (ofB !== null) return ofB.some((each) => typesOf(a).some((type) => isOfType(each, type)));
    const shared = typesOf(a).filter((type) => typesOf(b).some((each) => areAlike(type, each)));
    if (shared.length === 1 && shared[0] === "object") return this.#mayObjectsOverlap(a, b, depth);
    return shared.length > 0;
  }

  /** An answer has all properties of its alternative. */
  #mayObjectsOverlap(a: JsonSchema, b: JsonSchema, depth: number): boolean {
    const [ofA, ofB] = [recordOf(a["properties"]), recordOf(b["properties"])];
    const names = Object.keys(ofA);
    if (!this.#spend(names.length)) return true;
    return !names.some(
      (name) => Object.hasOwn(ofB, name) && !this.mayOverlap(ofA[name], ofB[name], depth + 1),
    );
  }

  /** False if too few steps are left. */
  #spend(steps: number): boolean {
    this.#budget.left -= steps;
    return this.#budget.left >= 0;
  }
}

function shareOne(some: readonly unknown[], others: readonly unknown[]): boolean {
  const known = new Set(others);
  return some.some((each) => known.has(each));
}

/** Whether a constant has a JSON type. */
export function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === "null";
  if (typeof value !== "number") return type === typeof value;
  return type === "number" || (type === "integer" && Number.isInteger(value));
}

function constantsOf(schema: JsonSchema): readonly unknown[] | null {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : null;
}

function typesOf({ type }: JsonSchema): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function areAlike(one: unknown, other: unknown): boolean {
  const numbers: readonly unknown[] = ["number", "integer"];
  return one === other || (numbers.includes(one) && numbers.includes(other));
}

import type { ChatTool } from "../jobs/chat.ts";
import type { AnswerFormat } from "../jobs/sampling.ts";

/*
 * The forms of canaries in a format: JSON, a schema or a tool. A device must not recognize a canary by its form, so names and descriptions
 * are drawn anew. Only the kinds of the values are always the same few, since each version of Gleaner has to make the same grammars of them.
 */

export type Form = {
  readonly tools?: readonly ChatTool[];
  readonly toolChoice?: "required";
  readonly format?: AnswerFormat;
};

/** Numbers from 0 to below 1. */
export type Random = () => number;

/** A value of an answer. One of its names is drawn, and one of its descriptions: "" for none. */
export type Field = {
  readonly type: "string" | "integer" | "boolean";
  readonly names: readonly string[];
  readonly about: readonly string[];
};

/** A tool, whose name and description are drawn, too. */
export type ToolPool = {
  readonly names: readonly string[];
  readonly about: readonly string[];
  readonly fields: readonly Field[];
};

export function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Some of the items, in a random order. */
function pickSome<Item>(items: readonly Item[], count: number, random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .slice(0, count)
    .map(({ item }) => item);
}

type Property = Pick<Field, "type"> & { readonly name: string; readonly description: string };

/** The properties of a schema. All are required. */
function objectOf(properties: readonly Property[]) {
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map(({ name, type, description }) => [
        name,
        description === "" ? { type } : { type, description },
      ]),
    ),
    required: properties.map(({ name }) => name),
  };
}

function toolOf(name: string, description: string, properties: readonly Property[]): ChatTool {
  return { name, description, parameters: JSON.stringify(objectOf(properties)) };
}

function formatOf(properties: readonly Property[]): AnswerFormat {
  const schema = { ...objectOf(properties), additionalProperties: false };
  return { kind: "json-schema", schema: JSON.stringify(schema) };
}

function drawProperties(fields: readonly Field[], random: Random): Property[] {
  return pickSome(fields, fields.length, random).map(({ type, names, about }) => ({
    name: pick(names, random) ?? "",
    type,
    description: pick(about, random) ?? "",
  }));
}

export function drawTool({ names, about, fields }: ToolPool, random: Random): ChatTool {
  return toolOf(pick(names, random) ?? "", pick(about, random) ?? "", drawProperties(fields, random));
}

export function drawFormat(fields: readonly Field[], random: Random): AnswerFormat {
  return formatOf(drawProperties(fields, random));
}

const verbs = [
  "add",
  "book",
  "check",
  "create",
  "find",
  "get",
  "list",
  "note",
  "open",
  "order",
  "plan",
  "read",
  "save",
  "search",
  "send",
  "set",
  "store",
  "update",
];

/** Nouns beside the words of the organization's prompts, which no stranger knows. */
const nouns = [
  "address",
  "amount",
  "category",
  "city",
  "comment",
  "contact",
  "content",
  "country",
  "customer",
  "detail",
  "document",
  "event",
  "file",
  "invoice",
  "item",
  "label",
  "language",
  "location",
  "message",
  "name",
  "note",
  "number",
  "order",
  "person",
  "place",
  "priority",
  "product",
  "project",
  "reason",
  "reference",
  "report",
  "result",
  "state",
  "status",
  "subject",
  "summary",
  "task",
  "text",
  "title",
  "topic",
  "user",
  "value",
];

/** Ends of the names of numbers and of yes or no, so that a model knows what to write. */
const ends: Readonly<Record<Field["type"], readonly string[]>> = {
  string: ["", "", "_text", "_name", "_title"],
  integer: ["_count", "_number", "_total", "_limit"],
  boolean: ["_known", "_urgent", "_done", "_required"],
};
const types = ["string", "string", "string", "integer", "boolean"] as const;

/** Bounds of the properties of a form: the least, and how many numbers there are from it on. */
const propertyCount = { least: 2, choices: 4 } as const;

/** Plain words of prompts. Others may be written otherwise in the grammars of other versions. */
function plainWords(prompts: readonly string[]): readonly string[] {
  const words = prompts.flatMap(
    (prompt) => prompt.replaceAll(/\{\w+\}/g, " ").match(/[\p{L}\p{N}]+/gu) ?? [],
  );
  const plain = words.map((word) => word.toLowerCase()).filter((word) => /^[a-z]{4,16}$/.test(word));
  return [...new Set(plain)];
}

function fieldOf(noun: string, type: Field["type"]): Field {
  const word = noun.slice(0, 1).toUpperCase() + noun.slice(1);
  return { type, names: ends[type].map((end) => noun + end), about: [`The ${noun}`, noun, word, ""] };
}

/**
 * Draws a form for a prompt of the organization: JSON, a schema or a call of a tool. Half of the names are words of the organization's
 * prompts, since the others are public.
 */
export function drawForm(prompts: readonly string[], random: Random): Form {
  const kind = pick(["json", "schema", "tool"] as const, random);
  if (kind === "json") return { format: { kind } };
  const count = propertyCount.least + Math.floor(random() * propertyCount.choices);
  const own = pickSome(plainWords(prompts), Math.ceil((count + 1) / 2), random);
  const [first = "", ...others] = [...new Set([...own, ...pickSome(nouns, count + 1, random)])].slice(
    0,
    count + 1,
  );
  // At least one is a text, as the others tell little of the model.
  const fields = others.map((noun, at) => fieldOf(noun, (at === 0 ? null : pick(types, random)) ?? "string"));
  if (kind === "schema") return { format: drawFormat(fields, random) };
  const verb = pick(verbs, random) ?? "";
  const about = [`${verb} ${first}`, `Use this to ${verb} the ${first}.`, `Can ${verb} the ${first}.`];
  return {
    tools: [drawTool({ names: [`${verb}_${first}`], about, fields }, random)],
    toolChoice: "required",
  };
}

/** One property of each kind, with names that are never drawn. */
const sample: readonly Property[] = (["string", "integer", "boolean"] as const).map((type) => ({
  name: `a_${type}`,
  type,
  description: `A ${type}`,
}));

/**
 * Forms with each part of a grammar that a canary has. Names apart, each version of Gleaner makes the same grammars of them, so that a device
 * with any version can read the answer: `main/runner/generate/grammar-version.test.ts`.
 */
export const canaryGrammars = {
  tools: [toolOf("a_tool", "A tool", sample), toolOf("another_tool", "Another tool", sample)],
  formats: [{ kind: "json" }, formatOf(sample)] satisfies readonly AnswerFormat[],
} as const;

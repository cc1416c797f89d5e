/** One call's body that costs far more than its size. `name` says which kind. */
type CostlyBody = {
  readonly name: string;
  readonly body: { readonly [field: string]: unknown };
  /** Whether its cost is that of its many values, nearly all that fit in a body. */
  readonly wide?: boolean;
};

/** 20 levels of 20 choices: 20^20 ways to begin an answer. */
const bomb = {
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: 20 }, (_, level) => [
      `d${level}`,
      level === 19
        ? { type: "string" }
        : { oneOf: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/d${level + 1}` })) },
    ]),
  ),
};

/** Two alternatives that reach two enums without a shared text by many references each. */
function manyComparisons(references: number, texts: number): object {
  const choice = (name: string): object => ({
    anyOf: Array.from({ length: references }, () => ({ $ref: `#/$defs/${name}` })),
  });
  const constants = (name: string): object => ({
    enum: Array.from({ length: texts }, (_, index) => `${name}${index}`),
  });
  return { oneOf: [choice("a"), choice("b")], $defs: { a: constants("a"), b: constants("b") } };
}

/** A choice of objects that begin alike, nested in each other by references. */
const nestedChoices = {
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: 2 }, (_, level) => [
      `d${level}`,
      {
        anyOf: Array.from({ length: 5 }, (_, choice) => ({
          type: "object",
          properties: {
            name: { type: "string" },
            [`p${choice}`]: { type: "array", items: { $ref: `#/$defs/d${(level + 1) % 2}` } },
          },
        })),
      },
    ]),
  ),
};

/** Chats that once cost seconds of the backend's event loop, or hung llama.cpp on one device after another. */
export function costlyBodies(model: string): readonly CostlyBody[] {
  const chat = (name: string, more: object): CostlyBody => ({
    name,
    body: { model, messages: [{ role: "user", content: "x" }], max_tokens: 1, ...more },
  });
  return [
    chat("long grammar", { grammar: costlyGrammars[0] }),
    chat("nested repetitions", { grammar: "root ::= .{500}{500}{500}" }),
    chat("schema bomb", {
      response_format: { type: "json_schema", json_schema: { name: "bomb", strict: true, schema: bomb } },
    }),
    chat("tool bomb", {
      tools: [{ type: "function", function: { name: "f", parameters: bomb } }],
      tool_choice: "required",
    }),
    chat("alternatives to compare", {
      response_format: {
        type: "json_schema",
        json_schema: { name: "compare", strict: true, schema: manyComparisons(200, 490) },
      },
    }),
    chat("alternatives to compare in each tool", {
      tools: Array.from({ length: 64 }, (_, tool) => ({
        type: "function",
        function: { name: `t${tool}`, parameters: manyComparisons(10, 20) },
      })),
    }),
    chat("nested choices in each tool", {
      tools: Array.from({ length: 64 }, (_, tool) => ({
        type: "function",
        function: { name: `t${tool}`, parameters: nestedChoices },
      })),
    }),
    ...wideFields.map(([name, fields]) => ({ ...chat(name, fields), wide: true })),
  ];
}

const content = (parts: readonly unknown[]): object => ({ messages: [{ role: "user", content: parts }] });

/** Fields with nearly as many values as fit in a body of 1 MiB. */
const wideFields: readonly (readonly [string, object])[] = [
  ["many empty parts", content(Array(349_000).fill({}))],
  ["many numbers as parts", content(Array(523_000).fill(0))],
  ["many parts of a wrong type", content(Array(87_000).fill({ type: 1 }))],
  ["many modalities", { modalities: Array(523_000).fill(0) }],
  [
    "many biases of no token",
    { logit_bias: Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`a${index}`, 0])) },
  ],
  [
    "many long enums",
    {
      tools: Array.from({ length: 64 }, (_, tool) => ({
        type: "function",
        function: {
          name: `t${tool}`,
          parameters: { oneOf: Array.from({ length: 15 }, () => ({ enum: Array(490).fill(0) })) },
        },
      })),
    },
  ],
];

/** Grammars of 8 and 16 KB with many parts, some of them accepted. */
export const costlyGrammars: readonly string[] = [
  `root ::= ${".{0,500} ".repeat(900)}`,
  `root ::= ${".{0,500} ".repeat(1_800)}`,
  `root ::= ${'"a"? '.repeat(1_600)}`,
  `root ::= ${"x | ".repeat(2_000)} "a"\nx ::= "b"`,
  `root ::= [${"a-z".repeat(2_600)}]`,
  `root ::= ${'("a"? "b"? | .{0,500}){3} '.repeat(300)}`,
  `root ::= a${"?".repeat(16_000)}\na ::= "a"`,
  `root ::= ${"(a | b) ".repeat(1_500)}\na ::= [a-z]\nb ::= [0-9]`,
  // Many readings of the same text.
  'root ::= a{0,400} "z"\na ::= ([a-z ]|[a-z ][a-z ]|[a-z ]{4}|[a-z ]{2}[a-z ]){0,20}',
  // The readings go on after the end of each rule.
  `root ::= r0\n${Array.from({ length: 9 }, (_, at) => `r${at} ::= "longer than a token" r${at + 1} [a-z ]{0,500}`).join("\n")}\nr9 ::= "z"`,
];

import fc from "fast-check";
import type { Json } from "./target.ts";

/** Texts that programs tend to handle wrongly. Short, so that they can be combined. */
const nasty: readonly string[] = [
  "",
  "\0",
  "\u001b[2J\u001b]0;title\u0007",
  "\u202egnp.exe",
  "\ud800",
  "e\u0301".repeat(40),
  "../../etc/passwd",
  "%00%2e%2e%2f",
  "__proto__",
  "constructor",
  "{{7*7}}",
  "<|im_end|>",
  "<script>alert(1)</script>",
  "' OR 1=1 --",
  "-1",
  "1e309",
  "NaN",
  "9".repeat(400),
  "a".repeat(70_000),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nasty) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 60 }) },
);

export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e300, Number.MAX_VALUE, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON, with deep and wide values and dangerous names of fields. */
export const hostileJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: jsonOf() },
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 300 }).map(deep) },
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 3_000 }).map(wide) },
);

function jsonOf(): fc.Arbitrary<Json> {
  const name = fc.oneof(
    fc.constantFrom("__proto__", "constructor", "toString", "type", "id", ""),
    fc.string(),
  );
  return fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constant(null),
      fc.boolean(),
      hostileNumber,
      hostileText,
      fc.array(tie("value"), { maxLength: 6 }),
      fc.array(fc.tuple(name, tie("value")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
    ),
  })).value;
}

function deep(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function wide(fields: number): Json {
  return Object.fromEntries(Array.from({ length: fields }, (_, index) => [`f${index}`, index]));
}

/** Replaces one place of a valid value by a hostile one, or removes it. Most of the value stays valid. */
export function spoiled(value: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(value, fc.option(hostileJson, { nil: undefined }), fc.nat({ max: 10_000 }))
    .map(([valid, wrong, place]) => {
      const paths = pathsOf(valid);
      const path = paths[place % paths.length] ?? [];
      return replaced(valid, path, wrong);
    });
}

type Path = readonly string[];

function pathsOf(value: Json): readonly Path[] {
  if (value === null || typeof value !== "object") return [[]];
  const below = Object.entries(value).flatMap(([key, inner]) => pathsOf(inner).map((path) => [key, ...path]));
  return [[], ...below];
}

function replaced(value: Json, [key, ...rest]: Path, wrong: Json | undefined): Json {
  if (key === undefined) return wrong ?? null;
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    if (name !== key) return [[name, inner]];
    if (rest.length === 0 && wrong === undefined) return [];
    return [[name, replaced(inner, rest, wrong)]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

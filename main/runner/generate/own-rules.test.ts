import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdsSchema } from "../../../app/jobs/answers/schema-check.ts";
import { grammarCost } from "../../../app/jobs/grammar/cost.ts";
import { grammarRules } from "../../../app/jobs/grammar/gbnf.ts";
import { type JsonSchema, schemaRules } from "../../../app/jobs/grammar/schema-rules.ts";
import { parseSchema } from "../../../app/jobs/schema/json-schema.ts";
import { grammarPlan } from "../../../app/jobs/schema/leaves.ts";
import { Libraries } from "../load/libraries.ts";
import type { LoadedModel } from "../load/load-model.ts";
import { ModelSlot } from "../load/model-slot.ts";
import { fullPace } from "../process/duty-cycle.ts";
import { GrammarState } from "../replay/grammar-state.ts";
import { chat, demoModel, planOf } from "../runner.fixture.ts";
import { answer } from "./answer.ts";
import { samplerOf } from "./grammar-sample.fixture.ts";
import { type Enforced, grammarOf } from "./grammars.ts";
import { PrefillSlices } from "./prefill.ts";

let slot: ModelSlot;
let loaded: LoadedModel;

beforeAll(async () => {
  const file = await demoModel();
  slot = new ModelSlot(new Libraries());
  const load = await slot.load(file, planOf(file), new AbortController().signal);
  if (load.kind !== "loaded") throw new Error(load.kind);
  ({ loaded } = load);
});

afterAll(async () => await slot.unload());

function parsed(given: object): JsonSchema {
  const found = parseSchema(given, { checked: true });
  if (found.kind === "refused") throw new Error(found.reason);
  return found.schema;
}

async function enforcedOf(schema: JsonSchema): Promise<Enforced> {
  const enforced = await grammarOf(loaded.llama, { kind: "json-schema", schema: JSON.stringify(schema) });
  if (enforced === null) throw new Error("no grammar");
  return enforced;
}

/** Whether llama.cpp lets a model write a text as its whole answer. */
function mayWrite({ grammar }: Enforced, text: string): boolean {
  const state = new GrammarState(loaded.model, grammar);
  return loaded.model.tokenize(`${text}\n\n\n\n`, false, "trimLeadingSpace").every((token) => {
    if (!state.allows(token)) return false;
    state.accept(token);
    return true;
  });
}

describe("llama.cpp writes", () => {
  it.each<[object, readonly unknown[], readonly unknown[]]>([
    [
      { type: "string", pattern: "^[A-Z]{2}-\\d{3,4}$" },
      ["DE-123", "FR-1234"],
      ["DE-12", "DE-12345", "de-123", " DE-123"],
    ],
    [{ type: "string", pattern: "cat" }, ["cat", 'a "cat"\n\\', "é🐦cat\u0001\u007f/"], ["ca", "Cat"]],
    [{ type: "string", pattern: '^["\\\\\\n\\u0001\\u001f/]+$' }, ['"\\\n\u0001\u001f/'], ["a", "\u0002"]],
    [{ type: "string", pattern: "^[^a-z]*$" }, ["", "É🐦\t\b\f\r\u0000\u001a", "ÄÖ"], ["a"]],
    [{ type: "string", pattern: "^[\\u{1F426}-\\u{1F428}é]$" }, ["🐦", "🐨", "é"], ["🐩", "è"]],
    [{ type: "string", pattern: "^a+$", minLength: 2, maxLength: 3 }, ["aa", "aaa"], ["a", "aaaa"]],
    [{ type: "string", format: "email", maxLength: 200 }, ["ada@example.org"], ["ada", "a da@b.c", "ada@-"]],
    [{ type: "string", format: "ipv6" }, ["::1", "fe80::1:2"], ["1:2:3", "::g"]],
    [{ type: "string", format: "date", pattern: "^2024" }, ["2024-02-29"], ["2023-02-28", "2024"]],
    [{ type: "integer", minimum: 1_900, maximum: 2_100 }, [1_900, 2_000, 2_100], [1_899, 2_101, 19, -2_000]],
    [{ type: "number", minimum: 0, exclusiveMaximum: 1 }, [0, 0.5, 0.999], [1, 1.5, -0.1]],
    [{ type: "number", multipleOf: 0.01, minimum: 0 }, [0, 19.99, 5], [19.999, -1]],
    [{ type: ["integer", "null"], minimum: 1_000 }, [null, 1_000], [999, "a"]],
  ])("exactly the values of %j", async (given, right, wrong) => {
    const schema = parsed(given);
    const list = parsed({ type: "object", properties: { a: { type: "array", items: given } } });
    const enforced = await enforcedOf(schema);
    const inList = await enforcedOf(list);
    for (const value of [...right, ...wrong]) {
      const isRight = right.includes(value);
      expect([value, holdsSchema(schema, value, { patterns: true })]).toEqual([value, isRight]);
      // As a model writes them, with the escape that JSON demands there.
      const json = JSON.stringify(value).replaceAll("\u007f", "\\u007f");
      expect([value, mayWrite(enforced, json)]).toEqual([value, isRight]);
      expect([value, mayWrite(inList, `{"a": [${json}, ${json}]}`)]).toEqual([value, isRight]);
    }
  });
});

const one = fc.constantFrom<object>(
  ...[
    "^[A-Z]{2}\\d+$",
    "b|c$",
    "^(?!a)[a-c]+$",
    "é",
    "^\\S+ \\S+$",
    "^.{2,4}$",
    '["\\\\\\s]',
    "^(?:x|yz)*$",
  ].map((pattern) => ({ type: "string", pattern })),
  ...["email", "hostname", "ipv4", "ipv6", "uuid", "uri", "duration"].map((format) => ({
    type: "string",
    format,
  })),
  { type: "string", format: "date-time", pattern: "Z$" },
  { type: "string", format: "uuid", pattern: "^0" },
  { type: "string", pattern: "^\\w+$", maxLength: 3 },
);
const bound = fc.integer({ min: -5_000, max: 5_000 });
const number = fc
  .record(
    {
      type: fc.constantFrom("integer", "number"),
      minimum: bound,
      exclusiveMinimum: bound.map((each) => each / 8),
      maximum: bound.map((each) => each + 20_000),
      multipleOf: fc.constantFrom(1, 5, 0.5, 0.01),
    },
    { requiredKeys: ["type"] },
  )
  .filter((each) => Object.keys(each).length > 1);
const { schema } = fc.letrec<{ schema: object; value: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    one,
    number,
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }).map((all) => ({ anyOf: all })),
    tie("value").map((items) => ({ type: "array", items, maxItems: 3 })),
    tie("schema"),
  ),
  schema: fc
    .dictionary(fc.constantFrom("a", "b", "c"), tie("value"), {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    })
    .map((properties) => ({ type: "object", properties })),
}));

it("a grammar with our own rules writes only what the check accepts, and costs no more than was counted", async () => {
  let rules = 0;
  await fc.assert(
    fc.asyncProperty(schema, fc.infiniteStream(fc.nat()), async (given, numbers) => {
      const found = parseSchema(given, { checked: true });
      fc.pre(found.kind === "ok");
      const plan = grammarPlan(found.schema);
      rules += plan.markers.size;
      const { grammar } = await enforcedOf(found.schema);
      expect(grammar.grammar).not.toContain("marker-");
      // Larger ones cannot be read again.
      if (plan.rules.size < 60) {
        const counted = grammarCost(schemaRules(plan.schema, plan));
        const real = grammarCost(grammarRules(grammar.grammar));
        expect(counted.stacks).toBeGreaterThanOrEqual(real.stacks);
        expect(counted.elements).toBeGreaterThanOrEqual(real.elements);
      }
      const sample = samplerOf(grammar.grammar);
      for (let round = 0; round < 5; round += 1) {
        const text = sample((below) => numbers.next().value % below);
        const isHeld = holdsSchema(found.schema, JSON.parse(text), { patterns: true });
        if (!isHeld) throw new Error(`${JSON.stringify(given)} allowed ${text.trim()}`);
      }
    }),
    { seed: 4, numRuns: 100 },
  );
  expect(rules).toBeGreaterThan(100);
});

it("a model writes a text of a pattern at its first try, however it is sampled", async () => {
  const format = {
    kind: "json-schema",
    schema: JSON.stringify(
      parsed({
        type: "object",
        properties: {
          code: { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" },
          mail: { type: "string", pattern: "^[a-z]{1,8}@[a-z]{1,8}\\.org$" },
          share: { type: "number", minimum: 0, maximum: 1, multipleOf: 0.01 },
        },
      }),
    ),
  } as const;
  for (let seed = 1; seed <= 5; seed += 1) {
    const steps: (string | null)[] = [];
    const outcome = await answer(
      {
        kind: "chat",
        request: chat("What is the capital of Norway?", { format, seed, temperature: 1.5, maxTokens: 200 }),
      },
      {
        loaded,
        slices: new PrefillSlices(),
        pace: fullPace,
        signal: new AbortController().signal,
        clock: () => performance.now(),
        cacheOwner: undefined,
        jobId: "j",
        emit: () => undefined,
        step: (step) => steps.push(step),
      },
    );
    if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
    expect(JSON.parse(outcome.result.text)).toEqual({
      code: expect.stringMatching(/^[A-Z]{3}-\d{4}$/) as string,
      mail: expect.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.org$/) as string,
      share: expect.any(Number) as number,
    });
    expect(steps.filter((step) => step === "check")).toHaveLength(1);
  }
});

import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../jobs/chat.ts";
import {
  areTokensAlike,
  type CanaryAnswer,
  type CanaryNeed,
  comparisonOf,
  drawCanary,
  neededCanary,
  shapeOf,
} from "./canaries.ts";
import { canaryGrammars } from "./canary-forms.ts";
import { newStanding, type Standing, withEvent } from "./standing.ts";

const dayMs = 24 * 3_600_000;
const fits = (times: number): Standing => {
  let standing = newStanding(0);
  for (let each = 0; each < times; each += 1) standing = withEvent(standing, "fits", 0);
  return standing;
};

/** Numbers from a list, again and again. */
const cycle = (...numbers: readonly number[]): (() => number) => {
  let at = 0;
  return () => numbers[at++ % numbers.length] ?? 0;
};

describe("a device gets a canary", () => {
  const needed = (known: Partial<CanaryNeed>, now = 0) =>
    neededCanary(
      { standing: newStanding(0), waiting: 0, unchecked: true, oddFormat: false, lastAt: null, ...known },
      now,
    );

  it("if too little is known of it, and no replay tells it soon", () => {
    expect(needed({})).toBe("any");
    expect(needed({ unchecked: false })).toBeNull();
    expect(needed({ waiting: 1 })).toBeNull();
    expect(needed({ standing: fits(15) })).toBeNull();
    expect(needed({ standing: withEvent(fits(5), "wrong", 0) })).toBe("any");
  });

  it("in a format if only devices with other grammars found its answers in formats odd, whatever else is known", () => {
    const odd = { oddFormat: true, unchecked: false };
    expect(needed(odd)).toBe("format");
    expect(needed({ ...odd, standing: fits(15), waiting: 4 })).toBe("format");
    expect(needed({ ...odd, unchecked: true })).toBe("format");
  });

  it("once a day", () => {
    for (const oddFormat of [false, true]) {
      expect(needed({ oddFormat, lastAt: dayMs }, 2 * dayMs - 1)).toBeNull();
      expect(needed({ oddFormat, lastAt: dayMs }, 2 * dayMs)).not.toBeNull();
    }
  });
});

describe("the request of a canary", () => {
  it("is asked greedily, and its prompts have no gap left", () => {
    for (let at = 0; at < 200; at += 1) {
      const { messages, temperature, seed } = drawCanary([], false, null, Math.random);
      expect(messages[0]?.content).toMatch(/^[^{}]{20,}$/);
      expect(temperature).toBe(0);
      expect(seed).toBeGreaterThanOrEqual(0);
    }
  });

  it("varies", () => {
    const asked = Array.from({ length: 200 }, () => drawCanary([], false, null, Math.random));
    expect(new Set(asked.map(({ messages }) => messages[0]?.content)).size).toBeGreaterThan(150);
    expect(asked.some(({ tools }) => tools !== undefined)).toBe(true);
    expect(asked.some(({ format }) => format !== undefined)).toBe(true);
  });

  it("has only prompts of the organization if there are some, with their gaps filled", () => {
    const own = ["Greet {name} from {city}, {number} times."];
    expect(drawCanary(own, false, null, cycle(0)).messages[0]?.content).toBe(
      "Greet Anna from Vienna, 2 times.",
    );
    expect(drawCanary(own, false, null, cycle(0.9)).messages[0]?.content).toMatch(/^Greet/);
    expect(drawCanary([], false, null, cycle(0.9)).messages[0]?.content).not.toMatch(/^Greet/);
  });
});

describe("the shape of a usual request", () => {
  const usual: ChatRequest = {
    messages: [{ role: "user", content: "Secret" }],
    maxTokens: 300,
    temperature: 0.7,
    topP: 0.9,
    minP: 0.05,
    seed: 7,
    stop: [],
  };
  const shape = { maxTokens: 300, temperature: 0.7, topP: 0.9, minP: 0.05 };

  it("is that of the canary, with a seed of its own and nothing of the text", () => {
    expect(shapeOf({ ...usual, format: { kind: "json" } })).toEqual(shape);
    const { messages, seed, ...rest } = drawCanary(["Greet {name}."], false, shape, cycle(0.5));
    expect(rest).toEqual({ ...shape, stop: [] });
    expect(messages).toEqual([{ role: "user", content: "Greet Grace." }]);
    expect(seed).not.toBe(7);
  });

  it.each([{ maxTokens: 63 }, { maxTokens: 1_025 }, { stop: ["###"] }, { logprobs: 0 }, { logitBias: [] }])(
    "is none that a canary can have: %j",
    (change) => {
      expect(shapeOf({ ...usual, ...change })).toBeNull();
    },
  );
});

type Schema = {
  readonly properties: Record<string, { readonly type: string; readonly description?: string }>;
  readonly required: string[];
};

/** The schemas of a request's tools, and of its format. */
function schemasOf({ tools = [], format }: Pick<ChatRequest, "tools" | "format">): Schema[] {
  const texts = tools.map(({ parameters = "" }) => parameters);
  if (format?.kind === "json-schema") texts.push(format.schema);
  return texts.map((text) => JSON.parse(text) as Schema);
}

const canaryShapes = (): Schema[] => [
  ...schemasOf({ tools: canaryGrammars.tools }),
  ...canaryGrammars.formats.flatMap((format) => schemasOf({ format })),
];

/** Everything in a schema that can change its grammar, but the names and the number of its properties. */
function withoutNames({ properties, required, ...rest }: Schema): string {
  expect(required).toEqual(Object.keys(properties));
  expect(required.length).toBeGreaterThan(0);
  for (const { type, description: _, ...more } of Object.values(properties)) {
    expect(["string", "integer", "boolean"]).toContain(type);
    expect(more).toEqual({});
  }
  return JSON.stringify(rest);
}

describe("the request of a canary in a format", () => {
  const own = ["Greet {name} from {city}, {number} times."];
  const forms = (prompts: readonly string[]) =>
    Array.from({ length: 200 }, () => drawCanary(prompts, true, null, Math.random));

  it("has a tool or a format, also with a prompt of the organization", () => {
    for (const prompts of [[], own]) {
      for (const { tools, format } of forms(prompts)) expect(tools ?? format).toBeDefined();
    }
    for (const { messages } of forms(own)) expect(messages[0]?.content).toMatch(/^Greet/);
  });

  it("has a schema, JSON or a tool, so that no device may answer one kind otherwise", () => {
    for (const prompts of [[], own]) {
      const drawn = forms(prompts);
      const kinds = new Set(drawn.map(({ tools, format }) => (tools === undefined ? format?.kind : "tools")));
      expect([...kinds].toSorted()).toEqual(["json", "json-schema", "tools"]);
    }
  });

  it("has only grammars that are the same in each version, names apart", () => {
    const shapes = new Set(canaryShapes().map(withoutNames));
    const drawn = [...forms([]), ...forms(own)].flatMap(schemasOf);
    expect(drawn.length).toBeGreaterThan(100);
    for (const schema of drawn) expect(shapes).toContain(withoutNames(schema));
  });

  it("has other names each time, also words of the organization's prompts, which no stranger knows", () => {
    const namesOf = (prompts: readonly string[]) =>
      forms(prompts)
        .flatMap(schemasOf)
        .flatMap(({ required }) => required);
    expect(
      new Set(forms(own).flatMap(({ tools = [] }) => tools.map(({ name }) => name))).size,
    ).toBeGreaterThan(20);
    expect(new Set(namesOf(own)).size).toBeGreaterThan(40);
    const secret = namesOf(["Compare the zebrafish with the Köder of {name}."]);
    expect(secret.filter((name) => name.startsWith("zebrafish")).length).toBeGreaterThan(10);
    for (const name of secret) expect(name).toMatch(/^[a-z_]+$/);
  });
});

describe("two answers to a canary", () => {
  const answer = (text: string, calls: CanaryAnswer["toolCalls"] = []): CanaryAnswer => ({
    text,
    finishReason: "stop",
    toolCalls: calls,
  });
  const long = "Dear Anna, the delivery to Vienna comes three days later than we had planned. ".repeat(2);

  it("fit if they are the same and long", () => {
    expect(comparisonOf(answer(long), answer(long))).toBe("fits");
  });

  it("are left to a replay if they differ, or are short", () => {
    expect(comparisonOf(answer(long), answer(`${long}!`))).toBe("replay");
    expect(comparisonOf(answer("Yes."), answer("Yes."))).toBe("replay");
    expect(comparisonOf(answer(long), { ...answer(long), finishReason: "length" })).toBe("replay");
    const calls = (city: string) => [{ name: "get_weather", arguments: JSON.stringify({ city }) }];
    expect(comparisonOf(answer(long, calls("Graz")), answer(long, calls("Oslo")))).toBe("replay");
    expect(comparisonOf(answer(long), answer(""))).toBe("replay");
  });

  it("may need a third one if only the tested one is empty", () => {
    expect(comparisonOf(answer(""), answer(long))).toBe("third");
    expect(comparisonOf(answer(""), answer(""))).toBe("nothing");
  });

  it("tell nothing if the tested one was cut before its first word", () => {
    expect(comparisonOf({ ...answer(""), finishReason: "length" }, answer(long))).toBe("nothing");
  });

  it("are alike in their tokens up to a few", () => {
    const counts = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens });
    expect(areTokensAlike(counts(30, 40), counts(31, 44))).toBe(true);
    expect(areTokensAlike(counts(30, 40), counts(30, 45))).toBe(false);
    expect(areTokensAlike(counts(35, 40), counts(30, 40))).toBe(false);
  });
});

import fc from "fast-check";
import { grammarRules } from "../../../app/jobs/gbnf.ts";
import { costLimits, type GrammarCost, grammarCost } from "../../../app/jobs/grammar-cost.ts";
import { parseSchema } from "../../../app/jobs/json-schema.ts";
import { parseChat } from "../../../app/jobs/parse-chat.ts";
import { parseCompletion } from "../../../app/jobs/parse-completion.ts";
import { parseEmbedding } from "../../../app/jobs/parse-embedding.ts";
import { schemaRules } from "../../../app/jobs/schema-rules.ts";
import { costlyBodies } from "../../../bench/abuse/costly-bodies.ts";
import { bodiesFor } from "../bodies.ts";
import type { Json, Target } from "../target.ts";

/** The analysis of a text may take so many steps for each of its characters. */
const stepsPerChar = 3;

/** The parsers of the HTTP API's bodies, in this process. They must not throw, and accept only what llama.cpp can afford. */
export const requestBodies: Target = {
  name: "request-bodies",
  summary: "the HTTP API's parsers, with costly grammars and schemas",
  open: () => {
    const bodies = bodiesFor("m");
    return Promise.resolve({
      inputs: fc.oneof(bodies["chat/completions"], bodies.completions, bodies.embeddings),
      known: costlyBodies("m").map(({ body }) => body as Json),
      check: (input) => {
        checkBody(JSON.stringify(input));
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  },
};

function checkBody(body: string): void {
  for (const parse of [parseChat, parseCompletion, parseEmbedding]) {
    const parsed = parse(body);
    if (parsed.kind === "refused" || !("request" in parsed.asked)) continue;
    const { request } = parsed.asked;
    if (!("stop" in request)) continue;
    const { format } = request;
    if (format?.kind === "grammar") checkCost(grammarCost(grammarRules(format.grammar)), format.grammar);
    if (format?.kind === "json-schema") checkSchema(format.schema);
    if (!("tools" in request)) continue;
    for (const { parameters } of request.tools ?? []) if (parameters !== undefined) checkSchema(parameters);
  }
}

function checkSchema(text: string): void {
  const parsed = parseSchema(JSON.parse(text) as Json);
  if (parsed.kind === "refused") throw new Error(`an accepted schema is refused later: ${parsed.reason}`);
  checkCost(grammarCost(schemaRules(parsed.schema)), text);
}

function checkCost({ stacks, elements, steps }: GrammarCost, text: string): void {
  if (stacks > costLimits.stacks || elements > costLimits.elements) {
    throw new Error(`accepted ${stacks} stacks and ${elements} elements`);
  }
  // Every schema has the rules of all formats, some 300 steps.
  const most = 1_000 + stepsPerChar * text.length;
  if (steps > most) throw new Error(`took ${steps} steps for ${text.length} characters`);
}

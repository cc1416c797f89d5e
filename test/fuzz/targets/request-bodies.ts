import fc from "fast-check";
import { costLimits, type GrammarCost, grammarCost } from "../../../app/jobs/grammar/cost.ts";
import { grammarLimits, grammarRules } from "../../../app/jobs/grammar/gbnf.ts";
import type { GrammarRules } from "../../../app/jobs/grammar/parts.ts";
import { schemaRules } from "../../../app/jobs/grammar/schema-rules.ts";
import { parseOllamaChat } from "../../../app/jobs/parse/ollama/ollama-chat.ts";
import { parseOllamaGenerate } from "../../../app/jobs/parse/ollama/ollama-generate.ts";
import { parseOllamaEmbed } from "../../../app/jobs/parse/ollama/ollama-models.ts";
import { parseChat } from "../../../app/jobs/parse/parse-chat.ts";
import { parseCompletion } from "../../../app/jobs/parse/parse-completion.ts";
import { parseEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import { parseMessages } from "../../../app/jobs/parse/parse-messages.ts";
import { parseResponse } from "../../../app/jobs/parse/parse-response.ts";
import { parseKeptSchema } from "../../../app/jobs/schema/json-schema.ts";
import { bodies as apiBodies } from "../../../app/openapi/bodies.ts";
import { costlyBodies, costlyGrammars } from "../../../bench/abuse/costly-bodies.ts";
import { bodiesFor } from "../bodies.ts";
import { tableBodies } from "../table-bodies.ts";
import type { Json, Target } from "../target.ts";
import { threadTimeBound } from "../thread-time.ts";

/** The analysis of a text may take so many steps for each of its characters. */
const stepsPerChar = 3;

/**
 * The parsers of the HTTP API's bodies, in this process. They must not throw, must be done soon whether they accept or refuse,
 * and accept only what llama.cpp can afford.
 */
export const requestBodies: Target = {
  name: "request-bodies",
  summary: "the HTTP API's parsers, with costly grammars and schemas",
  open: () => {
    const bodies = bodiesFor("m");
    const checkTime = threadTimeBound();
    return Promise.resolve({
      inputs: fc.oneof(...Object.values(bodies), ...Object.values(tableBodies)),
      known: [
        ...costlyBodies("m").map(({ body }) => body as Json),
        ...costlyGrammars.map((grammar): Json => ({ model: "m", prompt: "x", grammar })),
      ],
      check: async (input) => {
        await Promise.resolve();
        const body = JSON.stringify(input);
        for (const { parse } of Object.values(apiBodies)) checkTime(parse.name, () => void parse(body));
        checkGrammar(input);
        checkBody(body);
      },
      close: () => Promise.resolve(),
    });
  },
};

const parsers = [
  parseChat,
  parseResponse,
  parseMessages,
  parseCompletion,
  parseEmbedding,
  parseOllamaChat,
  parseOllamaGenerate,
  parseOllamaEmbed,
];

/** The steps for a grammar are bounded even if it is refused. */
function checkGrammar(input: Json): void {
  if (typeof input !== "object" || input === null || !("grammar" in input)) return;
  const { grammar } = input;
  if (typeof grammar !== "string" || grammar.length > grammarLimits.chars) return;
  let rules: GrammarRules;
  try {
    rules = grammarRules(grammar);
  } catch {
    // It is not in the notation of grammars.
    return;
  }
  checkSteps(grammarCost(rules), grammar);
}

function checkBody(body: string): void {
  for (const parse of parsers) {
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
  const parsed = parseKeptSchema(JSON.parse(text) as Json);
  if (parsed.kind === "refused") throw new Error(`an accepted schema is refused later: ${parsed.reason}`);
  checkCost(grammarCost(schemaRules(parsed.schema)), text);
}

function checkCost(cost: GrammarCost, text: string): void {
  const { stacks, elements } = cost;
  if (stacks > costLimits.stacks || elements > costLimits.elements) {
    throw new Error(`accepted ${stacks} stacks and ${elements} elements`);
  }
  checkSteps(cost, text);
}

function checkSteps({ steps }: GrammarCost, text: string): void {
  // Every schema has the rules of all formats, some 300 steps.
  const most = 1_000 + stepsPerChar * text.length;
  if (steps > most) throw new Error(`took ${steps} steps for ${text.length} characters`);
}

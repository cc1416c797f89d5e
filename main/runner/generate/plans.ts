import { parseKeptSchema } from "../../../app/jobs/schema/json-schema.ts";
import { type GrammarPlan, grammarPlan } from "../../../app/jobs/schema/leaves.ts";

const mostPlans = 16;

/** The last used one is the last. Each call, each new try and each replay of an answer needs its plan again. */
const plans = new Map<string, GrammarPlan | null>();

/** The plan of a parsed schema, as text. Null if the schema cannot be enforced. Keeps those of the last schemas. */
export function planOfSchema(text: string): GrammarPlan | null {
  const known = plans.get(text);
  const plan = known === undefined ? made(text) : known;
  plans.delete(text);
  plans.set(text, plan);
  const [oldest] = plans.keys();
  if (oldest !== undefined && plans.size > mostPlans) plans.delete(oldest);
  return plan;
}

function made(text: string): GrammarPlan | null {
  const parsed = parseKeptSchema(JSON.parse(text));
  return parsed.kind === "refused" ? null : grammarPlan(parsed.schema);
}

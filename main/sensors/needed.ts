import { neededFacts, type Rules } from "../../app/policy/rules.ts";
import type { Needs } from "./base/sensor.ts";

/** The facts to sample under these rules. */
export function neededBy(rules: Rules, donating: boolean): Needs {
  return { facts: neededFacts(rules), programs: rules.excludedPrograms, donating };
}

import { type ComputerFacts, type FactName, factNames } from "../../../app/facts/facts.ts";
import type { Needs } from "../../sensors/base/sensor.ts";

/** Facts that are sampled only while a job starts or the runner lives, since a sample may start a process. */
const askedAtWork: ReadonlySet<string> = new Set<FactName>(["otherGpuLoad", "vramFreeMb"]);

/** The names of facts that the rules need and this computer cannot tell. They explain why a donor is on standby. */
export function unknownFacts(facts: ComputerFacts, needs: Needs): readonly string[] {
  return factNames.filter(
    (name) => !facts[name].known && needs.facts.has(name) && (needs.running || !askedAtWork.has(name)),
  );
}

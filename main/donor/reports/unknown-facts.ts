import { type ComputerFacts, unknownComputer } from "../../../app/facts/facts.ts";
import type { Needs } from "../../sensors/sensor.ts";

/** Asked while the donor works alone, since asking costs a process: unknown meanwhile says nothing. */
const askedAtWork: ReadonlySet<string> = new Set<keyof ComputerFacts>(["otherGpuLoad", "vramFreeMb"]);

/** The facts that the rules look at and this computer cannot tell, by name: for those who wonder why it holds. */
export function unknownFacts(facts: ComputerFacts, needs: Needs): readonly string[] {
  const names = Object.keys(unknownComputer) as readonly (keyof ComputerFacts)[];
  return names.filter(
    (name) => !facts[name].known && needs.facts.has(name) && (needs.donating || !askedAtWork.has(name)),
  );
}

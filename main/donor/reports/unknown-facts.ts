import { type ComputerFacts, unknownComputer } from "../../../app/facts/facts.ts";
import type { Needs } from "../../sensors/base/sensor.ts";

/** Sampled only while the donor works, since a sample starts a process. While unknown they say nothing. */
const askedAtWork: ReadonlySet<string> = new Set<keyof ComputerFacts>(["otherGpuLoad", "vramFreeMb"]);

/** The names of facts that the rules need and this computer cannot tell. They explain why a donor is on standby. */
export function unknownFacts(facts: ComputerFacts, needs: Needs): readonly string[] {
  const names = Object.keys(unknownComputer) as readonly (keyof ComputerFacts)[];
  return names.filter(
    (name) => !facts[name].known && needs.facts.has(name) && (needs.donating || !askedAtWork.has(name)),
  );
}

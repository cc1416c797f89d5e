import type { Facts, ThermalState } from "../../facts/facts.ts";
import type { Rules } from "../rules.ts";
import { type Check, heldFor, hold } from "../declare/check.ts";

/** Once too hot, it has to cool down by so many °C. */
const hotHysteresisC = 8;
/** Within so many °C of the cap it works at half speed, until it is this much cooler. */
const warmWithinC = 5;
const coolBelowC = 10;

/** An unknown temperature holds nothing: the firmware guards the hardware, and few systems tell theirs. */
export const heat: Check<"thermal" | "temperatureC", "maxTemperatureC", "too-hot"> = ({
  state,
  facts,
  rules,
}) => {
  if (facts.thermal.known && isSerious(facts.thermal.value)) return hold("too-hot");
  const margin = heldFor(state, "too-hot") ? hotHysteresisC : 0;
  return isAbove(facts, rules, margin) ? hold("too-hot") : null;
};

/** @param wasWarm whether it was warm at the last look, or too hot. */
export function isWarm(facts: Facts, rules: Rules, wasWarm: boolean): boolean {
  if (facts.thermal.known && facts.thermal.value !== "nominal") return true;
  return isAbove(facts, rules, wasWarm ? coolBelowC : warmWithinC);
}

function isAbove(
  { temperatureC }: Pick<Facts, "temperatureC">,
  { maxTemperatureC }: Pick<Rules, "maxTemperatureC">,
  below: number,
): boolean {
  return maxTemperatureC !== null && temperatureC.known && temperatureC.value > maxTemperatureC - below;
}

function isSerious(state: ThermalState): boolean {
  return state === "serious" || state === "critical";
}

import type { Facts } from "../../facts/facts.ts";
import { check, type Context, isOnStandbyFor, veto } from "../declare/check.ts";
import { limit, type ValuesOf, yesOrNo } from "../declare/rule.ts";

export const heatRules = {
  maxTemperatureC: limit({
    section: "power",
    title: "Maximum temperature",
    hint: "It stops while the processor is hotter.",
    default: 85,
    unit: "°C",
    min: 40,
    max: 110,
    choices: [60, 65, 70, 75, 80, 85, 90, 95, null],
  }),
  quiet: yesOrNo({
    section: "power",
    title: "Quiet",
    hint: "It rests half of the time, so that the computer stays cool and its fan slow.",
    default: false,
  }),
};

type HeatRules = ValuesOf<typeof heatRules>;
type Heat = Pick<Facts, "thermal" | "temperatureC">;

/** After "too-hot" the processor has to cool down by this many °C. */
const hotHysteresisC = 8;
/** This close to the cap it works at half speed, until it is `coolBelowC` below the cap. */
const warmWithinC = 5;
const coolBelowC = 10;

/** An unknown temperature vetoes nothing: the firmware guards the hardware, and few systems report a temperature. */
export const heat = check({
  reasons: {
    "too-hot": {
      short: "Too warm",
      brief: "Gleaner waits until this computer has cooled down.",
      sentence: "This computer is too warm. Gleaner waits until it has cooled down.",
      cooldownSeconds: 60,
      facts: ["thermal", "temperatureC"],
    },
  },
  needs: ({ maxTemperatureC }: HeatRules) =>
    maxTemperatureC === null ? ["thermal"] : ["thermal", "temperatureC"],
  veto: ({ state, facts, rules }: Context<"thermal" | "temperatureC", HeatRules>) => {
    if (isThrottled(facts)) return veto("too-hot");
    const margin = isOnStandbyFor(state, "too-hot") ? hotHysteresisC : 0;
    return isAbove(facts, rules, margin) ? veto("too-hot") : null;
  },
});

/** Whether it is above the limit at this moment. Null: this computer cannot tell. */
export function isTooHot(facts: Heat, rules: HeatRules): boolean | null {
  if (isThrottled(facts) || isAbove(facts, rules, 0)) return true;
  const { thermal, temperatureC } = facts;
  return thermal.known || (temperatureC.known && rules.maxTemperatureC !== null) ? false : null;
}

/** @param wasWarm whether it was warm, or too hot, at the last decision. */
export function isWarm(facts: Heat, rules: HeatRules, wasWarm: boolean): boolean {
  if (facts.thermal.known && facts.thermal.value !== "nominal") return true;
  return isAbove(facts, rules, wasWarm ? coolBelowC : warmWithinC);
}

function isThrottled({ thermal }: Heat): boolean {
  return thermal.known && (thermal.value === "serious" || thermal.value === "critical");
}

function isAbove({ temperatureC }: Heat, { maxTemperatureC }: HeatRules, marginC: number): boolean {
  return maxTemperatureC !== null && temperatureC.known && temperatureC.value > maxTemperatureC - marginC;
}

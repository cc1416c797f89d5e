import { isTrue } from "../../facts/facts.ts";
import { check, type Context, isOnStandbyFor, veto } from "../declare/check.ts";
import { number, type ValuesOf, yesOrNo } from "../declare/rule.ts";

export const powerRules = {
  allowOnBattery: yesOrNo({
    section: "power",
    title: "On battery",
    hint: "Whether it may donate without mains power.",
    default: false,
  }),
  batteryFloorPercent: number({
    section: "power",
    title: "Minimum battery charge",
    hint: "On battery, it stops below this charge.",
    default: 50,
    unit: "%",
    min: 0,
    max: 100,
    choices: [20, 30, 40, 50, 60, 70, 80, 90],
  }),
};

type PowerRules = ValuesOf<typeof powerRules>;

/** Battery gauges fluctuate. After "battery-low" the charge has to be this much above the floor, in percent. */
const floorHysteresis = 2;

export const power = check({
  reasons: {
    "on-battery": {
      short: "On battery",
      brief: "Gleaner waits until this computer is plugged in.",
      sentence: "This computer runs on battery. Gleaner waits for mains power.",
      facts: ["power", "batteryPercent"],
    },
    "battery-low": {
      short: "Battery low",
      brief: "Gleaner waits until the battery is charged enough.",
      sentence: "The battery is below the level you allow.",
      toOthers: { short: "Battery low", sentence: "The battery is below the level its user allows." },
      facts: ["power", "batteryPercent"],
    },
    "power-unknown": {
      short: "Power unknown",
      brief: "Gleaner cannot tell whether this computer is plugged in, so it waits.",
      sentence: "This system does not say whether it runs on battery, so Gleaner stays out of the way.",
      facts: ["power", "batteryPercent"],
    },
  },
  needs: ({ allowOnBattery }: PowerRules) => (allowOnBattery ? ["power", "batteryPercent"] : ["power"]),
  veto: ({ state, facts, rules }: Context<"power" | "batteryPercent", PowerRules>) => {
    if (facts.power.known && facts.power.value === "ac") return null;
    if (!rules.allowOnBattery) return veto(facts.power.known ? "on-battery" : "power-unknown");
    // Without certain mains power, the charge must be known and above the floor.
    if (!facts.batteryPercent.known) return veto("power-unknown");
    const margin = isOnStandbyFor(state, "battery-low") ? floorHysteresis : 0;
    const floor = Math.min(100, rules.batteryFloorPercent + margin);
    return facts.batteryPercent.value < floor ? veto("battery-low") : null;
  },
});

/**
 * On mains power a closed laptop is docked at a desk. Without mains power it may be in a bag.
 * An unknown lid vetoes nothing: most computers without a lid report none.
 */
export const lid = check({
  reasons: {
    "lid-closed": {
      short: "Lid closed",
      brief: "Gleaner waits until the lid is open.",
      sentence: "The lid is closed and mains power is not certain. Gleaner waits to keep the computer cool.",
      cooldownSeconds: 5,
      facts: ["lidClosed", "power", "batteryPercent"],
    },
  },
  needs: () => ["lidClosed"],
  veto: ({ facts: { lidClosed, power } }: Context<"lidClosed" | "power">) => {
    const onMains = power.known && power.value === "ac";
    return isTrue(lidClosed) && !onMains ? veto("lid-closed") : null;
  },
});

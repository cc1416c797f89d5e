import { type Check, heldFor, hold } from "../declare/check.ts";

/** A battery's gauge wavers: what was below the floor has to be clearly above it again, in percent. */
const floorHysteresis = 2;

export const power: Check<
  "power" | "batteryPercent",
  "allowOnBattery" | "batteryFloorPercent",
  "on-battery" | "battery-low" | "power-unknown"
> = ({ state, facts, rules }) => {
  if (facts.power.known && facts.power.value === "ac") return null;
  if (!rules.allowOnBattery) return hold(facts.power.known ? "on-battery" : "power-unknown");
  // On battery, or perhaps: then the floor has to be known to be kept.
  if (!facts.batteryPercent.known) return hold("power-unknown");
  const margin = heldFor(state, "battery-low") ? floorHysteresis : 0;
  const floor = Math.min(100, rules.batteryFloorPercent + margin);
  return facts.batteryPercent.value < floor ? hold("battery-low") : null;
};

/** Closed on mains power it stands at a desk, closed without it may lie in a bag. A lid that is not known may be none. */
export const lid: Check<"lidClosed" | "power", never, "lid-closed"> = ({ facts: { lidClosed, power } }) => {
  const onMains = power.known && power.value === "ac";
  return lidClosed.known && lidClosed.value && !onMains ? hold("lid-closed") : null;
};

import { known, unknown } from "../../../app/facts/facts.ts";
import type { Found, Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

/** A Mac sleeps when its lid closes, unless it has an external screen. So this is polled rarely. */
export const macLidSensor: Sensor = {
  source: "ioreg",
  facts: ["lidClosed"],
  everyMs: 600_000,
  subprocessEveryMs: 600_000,
  sample: async () => {
    const args = ["-r", "-k", "AppleClamshellState", "-d", "1"];
    const result = await runSubprocess("/usr/sbin/ioreg", args);
    return result.kind === "ok" ? parseClamshell(result.stdout) : {};
  },
};

/** `"AppleClamshellState" = Yes`; absent on a Mac without a lid. */
export function parseClamshell(text: string): Found {
  const state = /"AppleClamshellState" = (Yes|No)/.exec(text)?.[1];
  return { lidClosed: state === undefined ? unknown : known(state === "Yes") };
}

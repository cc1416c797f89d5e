import type { Rules } from "../../app/policy/rules.ts";
import type { FactName, Needs } from "./sensor.ts";

/** Which facts the rules look at. The others are not sampled, whatever they would cost. */
export function neededBy(rules: Rules, donating: boolean): Needs {
  const usesGpu = rules.idle.gpu || (rules.inUse.mode === "limited" && rules.inUse.gpu);
  const wanted: readonly (readonly [boolean, ...FactName[]])[] = [
    [true, "idleSeconds", "locked", "suspended", "lidClosed"],
    [true, "power", "thermal", "otherCpuLoad", "memoryFreeMb", "diskFreeMb"],
    [rules.allowOnBattery, "batteryPercent"],
    [rules.maxTemperatureC !== null, "temperatureC"],
    [usesGpu, "otherGpuLoad", "vramFreeMb"],
    [rules.holdOnFullScreen, "fullScreen"],
    [rules.holdOnCall, "cameraInUse", "microphoneInUse"],
    [rules.holdOnMedia, "mediaPlaying"],
    [rules.excludedPrograms.length > 0, "excludedProgram"],
    [!rules.allowMetered, "metered"],
    [rules.requiredNetworks.length > 0, "networks"],
  ];
  const facts = wanted.flatMap(([isNeeded, ...names]) => (isNeeded ? names : []));
  return { facts: new Set(facts), programs: rules.excludedPrograms, donating };
}

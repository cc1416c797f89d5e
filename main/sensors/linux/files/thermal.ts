import { join } from "node:path";
import { known, type ThermalState, unknown } from "../../../../app/facts/facts.ts";
import { listFolder, readNumber, readText } from "../../base/read-file.ts";
import type { Found, Sensor } from "../../base/sensor.ts";

/** Zones and drivers that measure the processor or its package. Others measure disks, batteries and radios. */
const processorZones = /^(x86_pkg_temp|cpu|soc|k10temp|TCPU|.*-cpu|cpu.*-thermal|soc.*-thermal|B0D4)/i;
const processorChips = /^(coretemp|k10temp|zenpower|cpu_thermal|soc_thermal|scpi_sensors)$/;

/** A sensor that reports a value outside these bounds is broken or asleep. */
const lowestC = -20;
const highestC = 130;

/** A fan that reports more is broken. */
const fastestRpm = 20_000;
/** Smaller changes are noise, and each change is a new decision. */
const fanGrainRpm = 100;

/** The processor's temperature, how close it is to its zones' trip points, and the fan's speed. No subprocess. */
export function thermalSensor(zones = "/sys/class/thermal", chips = "/sys/class/hwmon"): Sensor {
  return {
    source: `${zones}, ${chips}`,
    facts: ["temperatureC", "thermal", "fanRpm"],
    everyMs: 15_000,
    sample: () => readThermal(zones, chips),
  };
}

export function readThermal(zones: string, chips: string): Found {
  const all = listFolder(zones)
    .filter((name) => name.startsWith("thermal_zone"))
    .map((name) => join(zones, name));
  const ofProcessor = all.filter((zone) => processorZones.test(readText(join(zone, "type")) ?? ""));
  const allChips = listFolder(chips).map((name) => join(chips, name));
  const temperatures = [
    ...ofProcessor.map((zone) => celsius(join(zone, "temp"))),
    ...allChips.filter((chip) => processorChips.test(readText(join(chip, "name")) ?? "")).flatMap(inputsOf),
  ].filter((value) => value !== null);
  const fans = allChips.flatMap(fansOf);
  const states = all.map(stateOf).filter((state) => state !== null);
  return {
    temperatureC: temperatures.length === 0 ? unknown : known(Math.round(Math.max(...temperatures))),
    thermal: states.length === 0 ? unknown : known(worst(states)),
    fanRpm: fans.length === 0 ? unknown : known(Math.round(Math.max(...fans) / fanGrainRpm) * fanGrainRpm),
  };
}

function inputsOf(chip: string): readonly (number | null)[] {
  return listFolder(chip)
    .filter((name) => /^temp\d+_input$/.test(name))
    .map((name) => celsius(join(chip, name)));
}

function fansOf(chip: string): readonly number[] {
  return listFolder(chip)
    .filter((name) => /^fan\d+_input$/.test(name))
    .map((name) => readNumber(join(chip, name)) ?? -1)
    .filter((rpm) => rpm >= 0 && rpm <= fastestRpm);
}

function celsius(path: string): number | null {
  const thousandths = readNumber(path);
  if (thousandths === null) return null;
  const value = thousandths / 1_000;
  return value >= lowestC && value <= highestC ? value : null;
}

/**
 * Maps the kernel's trip points to macOS' four grades. "active" turns on a fan, and "passive" slows the processor
 * down. "hot" and "critical" come last before a shutdown. A zone without trip points gives no grade.
 */
function stateOf(zone: string): ThermalState | null {
  const temperature = celsius(join(zone, "temp"));
  if (temperature === null) return null;
  let state: ThermalState | null = null;
  for (const name of listFolder(zone)) {
    const point = /^(trip_point_\d+)_temp$/.exec(name)?.[1];
    if (point === undefined) continue;
    const limit = celsius(join(zone, name));
    const grade = gradeOf(readText(join(zone, `${point}_type`)));
    // Some firmware sets unused trip points to zero.
    if (grade === null || limit === null || limit <= 0) continue;
    state = worst([state ?? "nominal", temperature >= limit ? grade : "nominal"]);
  }
  return state;
}

function gradeOf(type: string | null): ThermalState | null {
  switch (type) {
    case "active":
      return "fair";
    case "passive":
      return "serious";
    case "hot":
    case "critical":
      return "critical";
    default:
      return null;
  }
}

const grades: readonly ThermalState[] = ["nominal", "fair", "serious", "critical"];

function worst(states: readonly ThermalState[]): ThermalState {
  return grades[Math.max(...states.map((state) => grades.indexOf(state)))] ?? "nominal";
}

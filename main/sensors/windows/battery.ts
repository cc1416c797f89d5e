import * as z from "zod";
import { known, unknown } from "../../../app/facts/facts.ts";
import { parseJson } from "../../../app/json.ts";
import { systemProgram } from "../../system-programs.ts";
import type { Found, Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

/** Prints a list even of one battery, or of none. Prints nothing if Windows refuses the question. */
const script = [
  "$ErrorActionPreference = 'Stop'",
  "$found = @(Get-CimInstance Win32_Battery | Select-Object -Property BatteryStatus, EstimatedChargeRemaining)",
  "ConvertTo-Json -Compress -InputObject $found",
].join("; ");

/**
 * Each sample starts PowerShell. The package systeminformation is not used for this. It says that a battery with the status
 * Low or Critical is on mains power, and that a computer has no battery if PowerShell is refused.
 */
export const windowsBatterySensor: Sensor = {
  source: "Win32_Battery",
  facts: ["power", "batteryPercent"],
  everyMs: 360_000,
  subprocessEveryMs: 360_000,
  sample: async () => {
    const args = ["-NoProfile", "-NonInteractive", "-Command", script];
    const result = await runSubprocess(systemProgram("powershell", "win32"), args, { timeoutMs: 20_000 });
    return result.kind === "ok" ? parseBatteries(result.stdout) : {};
  },
};

const batteries = z.array(
  z.object({
    BatteryStatus: z.number().nullable(),
    EstimatedChargeRemaining: z.number().min(0).max(100).nullable().catch(null),
  }),
);

/** Values of Win32_Battery.BatteryStatus. Others say nothing certain about the power. */
const discharging = [1, 4, 5];
const onMains = [2, 3, 6, 7, 8, 9];

/** A computer without a battery runs on mains power. One battery of several may rest while another is used. */
export function parseBatteries(text: string): Found {
  const parsed = batteries.safeParse(parseJson(text));
  if (!parsed.success) return {};
  if (parsed.data.length === 0) return { power: known("ac"), batteryPercent: unknown };
  const has = (values: readonly number[]): boolean =>
    parsed.data.some(({ BatteryStatus }) => BatteryStatus !== null && values.includes(BatteryStatus));
  const percents = parsed.data.flatMap(({ EstimatedChargeRemaining: percent }) => percent ?? []);
  const mean = percents.reduce((sum, each) => sum + each, 0) / percents.length;
  return {
    power: has(discharging) ? known("battery") : has(onMains) ? known("ac") : unknown,
    batteryPercent: percents.length < parsed.data.length ? unknown : known(Math.round(mean)),
  };
}

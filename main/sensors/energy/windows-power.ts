import * as z from "zod";
import { parseJson } from "../../../app/json.ts";
import { systemProgram } from "../../system-programs.ts";
import { streamLines } from "../base/subprocess-stream.ts";
import { plausible, type PowerFeed } from "./power-feed.ts";

const seconds = 15;

/** Prints a list even of one battery, or of none. Prints no list if Windows refuses the question. */
const once =
  "ConvertTo-Json -Compress -InputObject @(Get-CimInstance -Namespace root/wmi -ClassName BatteryStatus" +
  " -ErrorAction SilentlyContinue | Select-Object -Property Discharging, DischargeRate)";

/** The power that the batteries of a Windows computer give. One PowerShell prints it, since a start of it takes a second. It ends with the donor. */
export function windowsBatteryFeed(program = systemProgram("powershell", "win32")): PowerFeed {
  const loop =
    `while (Get-Process -Id ${process.pid} -ErrorAction SilentlyContinue) { ${once}; ` +
    `[Console]::Out.Flush(); Start-Sleep -Seconds ${seconds} }`;
  return (onWatts) =>
    streamLines(program, ["-NoProfile", "-NonInteractive", "-Command", loop], (line) => {
      if (line !== "") onWatts(parseBatteryStatus(line));
    });
}

/** A battery that does not know its rate gives a number beyond these, or 0. */
const batteries = z
  .array(
    z.object({
      Discharging: z.boolean(),
      DischargeRate: z.number().positive().max(1e6).nullable().catch(null),
    }),
  )
  .max(16);

/** Watts of the batteries that discharge, whose rates are in mW. Null if none does, or if one does not tell its rate. */
export function parseBatteryStatus(text: string): number | null {
  const rates = batteries
    .safeParse(parseJson(text))
    .data?.filter(({ Discharging }) => Discharging)
    .map(({ DischargeRate }) => DischargeRate);
  if (rates === undefined || rates.length === 0) return null;
  if (rates.includes(null)) return null;
  return plausible(rates.reduce<number>((sum, rate) => sum + (rate ?? 0) / 1_000, 0));
}

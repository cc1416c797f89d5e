import * as z from "zod";
import { known, unknown } from "../../../app/facts/facts.ts";
import { parseJson } from "../../../app/json.ts";
import { systemProgram } from "../../system-programs.ts";
import type { Found, Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";
import { networkNames } from "../common/network-names.ts";

/** Windows PowerShell takes about a second to start. So it runs this rarely, and when the interfaces change. */
const askEveryMs = 15 * 60_000;

const script = [
  "$null = [Windows.Networking.Connectivity.NetworkInformation, Windows, ContentType=WindowsRuntime]",
  "$profile = [Windows.Networking.Connectivity.NetworkInformation]::GetInternetConnectionProfile()",
  "if ($null -eq $profile) { '{}'; exit }",
  "$cost = $profile.GetConnectionCost()",
  "@{ cost = [int]$cost.NetworkCostType; roaming = [bool]$cost.Roaming; name = $profile.ProfileName }" +
    " | ConvertTo-Json -Compress",
].join("; ");

/** Windows' facts about the internet connection: whether it is metered, and the Wi-Fi's name. */
export function networkProfileSensor(now = () => performance.now()): Sensor {
  let askedAt = Number.NEGATIVE_INFINITY;
  let interfaces = "";
  let held: Found = {};
  return {
    source: "Windows' connection profile",
    facts: ["metered", "networks"],
    everyMs: 60_000,
    subprocessEveryMs: askEveryMs,
    sample: async () => {
      const names = networkNames();
      const present = names.join("\n");
      if (present === interfaces && now() - askedAt < askEveryMs) return held;
      interfaces = present;
      askedAt = now();
      const args = ["-NoProfile", "-NonInteractive", "-Command", script];
      const result = await runSubprocess(systemProgram("powershell", "win32"), args, { timeoutMs: 20_000 });
      held = result.kind === "ok" ? parseProfile(result.stdout, names) : {};
      return held;
    },
  };
}

const profileOf = z.object({
  cost: z.number().optional(),
  roaming: z.boolean().optional(),
  name: z.string().optional(),
});

/** NetworkCostType: 1 unrestricted, 2 fixed volume, 3 by volume; 0 unknown. */
export function parseProfile(text: string, names: readonly string[]): Found {
  const parsed = profileOf.safeParse(parseJson(text));
  if (!parsed.success) return {};
  const { cost, roaming, name } = parsed.data;
  return {
    metered: cost === undefined || cost === 0 ? unknown : known(cost !== 1 || roaming === true),
    networks: known(name === undefined ? names : [...names, name]),
  };
}

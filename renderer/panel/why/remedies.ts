import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { SpanState } from "../../../app/contract/span-words.ts";
import type { StandbyReason } from "../../../app/policy/reasons.ts";
import type { RuleName } from "../../../app/policy/rules.ts";

/** The change that would let this computer donate more. `locked`: only its organization can change the rule. */
export type Remedy =
  | { readonly kind: "rule"; readonly name: RuleName }
  | { readonly kind: "locked"; readonly name: RuleName }
  | { readonly kind: "resume" };

/** The rule that decides about a reason. */
const rules: Readonly<Partial<Record<string, RuleName>>> = {
  "in-use": "inUse",
  "full-screen": "holdOnFullScreen",
  "in-call": "holdOnCall",
  "media-playing": "holdOnMedia",
  "on-battery": "allowOnBattery",
  "power-unknown": "allowOnBattery",
  "battery-low": "batteryFloorPercent",
  "too-hot": "maxTemperatureC",
  "other-load": "maxOtherCpuLoad",
  "memory-low": "minFreeMemoryMb",
  "disk-full": "minFreeDiskMb",
  "other-network": "requiredNetworks",
  "network-unknown": "requiredNetworks",
  metered: "allowMetered",
  "excluded-program": "excludedPrograms",
  "programs-unknown": "excludedPrograms",
  "outside-schedule": "schedule",
} satisfies Partial<Record<StandbyReason, RuleName>>;

/** The change that ends a reason. Null if nobody can make it here, or if the reason has ended. */
export function remedyOf(
  { kind, reason }: SpanState,
  snapshot: Pick<DonorSnapshot, "pause" | "rules" | "ruleLayers" | "startAtLogin">,
): Remedy | null {
  if (kind === "not-running") {
    return snapshot.startAtLogin == null || snapshot.rules.startAtLogin
      ? null
      : ruled("startAtLogin", snapshot);
  }
  if (kind !== "standby") return null;
  if (reason === "paused-by-you") return snapshot.pause === null ? null : { kind: "resume" };
  const name = Object.hasOwn(rules, reason) ? rules[reason] : undefined;
  return name === undefined ? null : ruled(name, snapshot);
}

function ruled(name: RuleName, { ruleLayers }: Pick<DonorSnapshot, "ruleLayers">): Remedy {
  return { kind: ruleLayers.locked.includes(name) ? "locked" : "rule", name };
}

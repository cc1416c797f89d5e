import { type Check, hold } from "../declare/check.ts";

/** The rules may ask for an office network or a VPN: one that cannot be told from others is none of them. */
export const requiredNetwork: Check<"networks", "requiredNetworks", "other-network" | "network-unknown"> = ({
  facts: { networks },
  rules: { requiredNetworks },
}) => {
  if (requiredNetworks.length === 0) return null;
  if (!networks.known) return hold("network-unknown");
  const here = new Set(networks.value.map(folded));
  return requiredNetworks.some((name) => here.has(folded(name))) ? null : hold("other-network");
};

/**
 * Of jobs, a few kilobytes each, and of models, which are gigabytes. Where it is unknown it counts as not metered: macOS,
 * servers and lab machines never say, and would fetch no model at all. Most of them are on a network that nobody counts.
 */
export const metered: Check<"metered", "allowMetered", "metered"> = ({ facts, rules }) =>
  !rules.allowMetered && facts.metered.known && facts.metered.value ? hold("metered") : null;

function folded(name: string): string {
  return name.trim().toLowerCase();
}

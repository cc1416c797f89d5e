import { isTrue } from "../../facts/facts.ts";
import { check, type Context, veto } from "../declare/check.ts";
import { allowed, limit, names, type ValuesOf, yesOrNo } from "../declare/rule.ts";

export const networkRules = {
  allowMetered: allowed({
    section: "network",
    title: "On metered networks",
    hint: "Mobile networks, hotspots and roaming. If the system does not say, a network counts as not metered.",
    default: false,
  }),
  requiredNetworks: names({
    section: "network",
    title: "Only on these networks",
    hint: "Names of Wi-Fi networks, interfaces or DNS suffixes. Without a name, every network is allowed.",
    default: [],
    placeholder: "For example Office-WiFi, corp.example.org",
    none: /* @wc-include */ "any",
  }),
  /** For all traffic of models, in kilobits per second. */
  downloadKbps: limit({
    section: "network",
    title: "Maximum download speed",
    hint: "For all models together.",
    default: null,
    unit: "kbit/s",
    min: 8,
    max: 10_000_000,
    choices: [1_000, 5_000, 20_000, 50_000, 100_000, null],
  }),
  networkBudgetMbPerDay: limit({
    section: "network",
    title: "Maximum downloads per day",
    hint: "The rest follows on the next day.",
    default: null,
    unit: "MiB",
    min: 0,
    max: 16 * 2 ** 20,
    choices: [477, 954, 1_907, 4_768, 9_537, 47_684, null],
  }),
  /** Whether models are fetched from, and given to, the organization's devices on the same network. */
  shareModels: yesOrNo({
    section: "network",
    title: "Share models in the office",
    hint: "Devices of your organization on one network fetch models from each other before the internet.",
    default: false,
  }),
};

type NetworkRules = ValuesOf<typeof networkRules>;

/** The rules may require an office network or a VPN. A network that cannot be identified does not count as one. */
export const requiredNetwork = check({
  reasons: {
    "other-network": {
      short: "Another network",
      brief: "Gleaner waits for a network where it may donate.",
      sentence: "This computer is not on a network where it may donate. Gleaner waits until it is.",
      cooldownSeconds: 10,
      facts: ["networks"],
    },
    "network-unknown": {
      short: "Network unknown",
      brief: "Gleaner cannot tell which network this is, so it waits.",
      sentence:
        "Gleaner may donate only on certain networks, and this system does not say which one this is. So it waits.",
      facts: ["networks"],
    },
  },
  needs: ({ requiredNetworks }: Pick<NetworkRules, "requiredNetworks">) =>
    requiredNetworks.length > 0 ? ["networks"] : [],
  veto: ({
    facts: { networks },
    rules: { requiredNetworks },
  }: Context<"networks", Pick<NetworkRules, "requiredNetworks">>) => {
    if (requiredNetworks.length === 0) return null;
    if (!networks.known) return veto("network-unknown");
    const here = new Set(networks.value.map(folded));
    return requiredNetworks.some((name) => here.has(folded(name))) ? null : veto("other-network");
  },
});

/**
 * Covers both jobs (a few kilobytes each) and models (gigabytes). Unknown counts as not metered. Otherwise macOS, servers
 * and lab machines would never fetch a model, and most of them are on a network without a volume limit.
 */
export const metered = check({
  reasons: {
    metered: {
      short: "Metered network",
      brief: "Gleaner waits for a network that is not metered.",
      sentence: "This network is metered or roaming. Gleaner waits for one that is not.",
      cooldownSeconds: 30,
      facts: ["metered"],
    },
  },
  needs: ({ allowMetered }: Pick<NetworkRules, "allowMetered">) => (allowMetered ? [] : ["metered"]),
  veto: ({ facts, rules }: Context<"metered", Pick<NetworkRules, "allowMetered">>) =>
    !rules.allowMetered && isTrue(facts.metered) ? veto("metered") : null,
});

function folded(name: string): string {
  return name.trim().toLowerCase();
}

import type { RuleLayer } from "../../../app/policy/rule-layers.ts";

const layerWords: Readonly<Record<RuleLayer, string>> = {
  default: "Default",
  donor: "Your choice",
  organization: "Suggested by your organization",
  managed: "Set by this computer’s administrator",
};

/** Names the source of a rule's value. */
export function decidedBy(layer: RuleLayer, isLocked: boolean): string {
  return isLocked && layer !== "managed" ? "Set by your organization" : layerWords[layer];
}

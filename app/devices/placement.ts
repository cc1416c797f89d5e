import { fitsRule, type RuleFacts, type RuleFilter } from "./filter.ts";

/** A rule puts all devices that fit it into a group. */
export type PlacingRule = { readonly _id: string; readonly group: string; readonly filter: RuleFilter };

/** The groups of a device, and how it got there: by hand or by a rule's id. Undefined: nobody put it anywhere. */
export type Placement = { readonly groups: readonly string[]; readonly placedBy?: string };

export type PlacedFacts = RuleFacts & Placement;

/** Whether a person put the device where it is. Devices of earlier versions are in groups without a note how. */
export function isByHand({ groups, placedBy }: Placement): boolean {
  return placedBy === "hand" || (placedBy === undefined && groups.length > 0);
}

/**
 * The groups of a device. A placement by hand stays. Otherwise the first rule that fits decides, and without one the device is in
 * no group.
 */
export function placementOf(device: PlacedFacts, rules: readonly PlacingRule[]): Placement {
  if (isByHand(device)) return device;
  const rule = rules.find(({ filter }) => fitsRule(device, filter));
  return rule === undefined ? { groups: [] } : { groups: [rule.group], placedBy: rule._id };
}

export function isPlacedSo(device: Placement, { groups, placedBy }: Placement): boolean {
  return device.placedBy === placedBy && JSON.stringify(device.groups) === JSON.stringify(groups);
}

/** The effect of a change of the rules on some devices. */
export type RulePreview = {
  /** Devices that change their group. */
  readonly moves: number;
  /** Devices that fit and are in the group already. */
  readonly same: number;
  /** Devices that fit, and stay where a hand put them. */
  readonly byHand: number;
  /** Devices that fit, and that an earlier rule places. */
  readonly earlier: number;
  /** The names of the first devices that move. */
  readonly names: readonly string[];
};

export const noPreview: RulePreview = { moves: 0, same: 0, byHand: 0, earlier: 0, names: [] };

const maxNames = 5;

/** @param draft the new or changed rule, which is among `rules`. Null: a rule was removed from them. */
export function previewOf(
  devices: readonly PlacedFacts[],
  rules: readonly PlacingRule[],
  draft: PlacingRule | null,
): RulePreview {
  const counts = { moves: 0, same: 0, byHand: 0, earlier: 0 };
  const names: string[] = [];
  for (const device of devices) {
    const isMeant = draft !== null && fitsRule(device, draft.filter);
    if (isByHand(device)) {
      if (isMeant) counts.byHand += 1;
      continue;
    }
    const after = placementOf(device, rules);
    if (isMeant && after.placedBy !== draft._id) counts.earlier += 1;
    if (JSON.stringify(after.groups) !== JSON.stringify(device.groups)) {
      counts.moves += 1;
      if (names.length < maxNames) names.push(device.name);
    } else if (isMeant && after.placedBy === draft._id) counts.same += 1;
  }
  return { ...counts, names };
}

export function addPreviews(one: RulePreview, other: RulePreview): RulePreview {
  return {
    moves: one.moves + other.moves,
    same: one.same + other.same,
    byHand: one.byHand + other.byHand,
    earlier: one.earlier + other.earlier,
    names: [...one.names, ...other.names].slice(0, maxNames),
  };
}

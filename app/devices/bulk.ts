import { assertNever } from "../assert-never.ts";
import { formatCount, plural } from "../format/quantity.ts";
import { isOlder } from "../versions.ts";

/**
 * The changes that can be made to many devices at once. `drain`: pause once the running jobs are finished. `update`: ask for
 * a newer version of Gleaner. The device works on until it has it.
 */
export const bulkKinds = ["pause", "drain", "resume", "group", "update", "retire"] as const;
export type BulkKind = (typeof bulkKinds)[number];

/**
 * `group`: the group to move to; "" means out of all groups. `version`: the version to ask for. Other acts have neither a
 * group nor a version.
 */
export type BulkAct = {
  readonly kind: BulkKind;
  readonly group: string;
  readonly version?: string;
};

/** The facts of a device that decide whether an act changes it. */
export type BulkFacts = {
  readonly status: "pending" | "active" | "retired";
  /** Paused by a person. */
  readonly asked: boolean;
  /** Paused because it failed too often. */
  readonly failing: boolean;
  readonly groups: readonly string[];
  /** The version of its program. "" if it is unknown. */
  readonly version: string;
  /** The version that it was asked to update to. "" if it was asked for none, or has it. */
  readonly askedVersion: string;
};

export type BulkEffect = "changes" | "same" | "cannot";

/** Whether an act changes a device, leaves it as it is, or does not fit it. */
export function effectOf({ kind, group, version = "" }: BulkAct, device: BulkFacts): BulkEffect {
  switch (kind) {
    case "pause":
    case "drain":
      if (device.status !== "active") return "cannot";
      return device.asked ? "same" : "changes";
    case "resume":
      if (device.status !== "active") return "cannot";
      return device.asked || device.failing ? "changes" : "same";
    case "group": {
      if (device.status === "retired") return "cannot";
      const wanted = group === "" ? [] : [group];
      return JSON.stringify(device.groups) === JSON.stringify(wanted) ? "same" : "changes";
    }
    case "update":
      if (device.status !== "active") return "cannot";
      return device.askedVersion === version || !isOlder(device.version, version) ? "same" : "changes";
    case "retire":
      return device.status === "retired" ? "same" : "changes";
    default:
      return assertNever(kind);
  }
}

export type BulkCounts = { readonly changes: number; readonly same: number; readonly cannot: number };

/** "12 devices: 9 pause, 3 are paused already." */
export function bulkPreview(act: BulkAct, { changes, same, cannot }: BulkCounts): string {
  const { verb, already } = wordsOf(act);
  const parts = [
    `${formatCount(changes)} ${verb}`,
    ...(same === 0 ? [] : [`${formatCount(same)} ${already} already`]),
    ...(cannot === 0 ? [] : [`${formatCount(cannot)} cannot, since they are not in service`]),
  ];
  return `${plural(changes + same + cannot, ["# device", "# devices"])}: ${parts.join(", ")}.`;
}

function wordsOf({ kind, group, version = "" }: BulkAct): {
  readonly verb: string;
  readonly already: string;
} {
  switch (kind) {
    case "pause":
      return { verb: /* @wc-include */ "pause", already: "are paused" };
    case "drain":
      return { verb: "finish their jobs and pause", already: "are paused" };
    case "resume":
      return { verb: /* @wc-include */ "resume", already: "are not paused" };
    case "group":
      return group === ""
        ? { verb: "leave their groups", already: "have no group" }
        : { verb: `move to ${group}`, already: "are there" };
    case "update":
      return { verb: `will be asked for version ${version}`, already: "are asked or have it" };
    case "retire":
      return { verb: /* @wc-include */ "retire", already: "are retired" };
    default:
      return assertNever(kind);
  }
}

/** A device before the act, in words that are counted for the audit trail. */
export function bulkBefore({ kind }: BulkAct, facts: BulkFacts): string {
  const { status, asked, failing, groups, version, askedVersion } = facts;
  if (kind === "update")
    return askedVersion === "" ? version || "unknown version" : `asked for ${askedVersion}`;
  if (kind === "group") return groups.length === 0 ? "no group" : groups.join(", ");
  if (status !== "active") return status;
  return failing ? "paused automatically" : asked ? "paused" : "in service";
}

/** The same of a device after the act. */
export function bulkAfter({ kind, group, version = "" }: BulkAct): string {
  switch (kind) {
    case "pause":
      return "paused";
    case "drain":
      return "finishing, then paused";
    case "resume":
      return "in service";
    case "group":
      return group === "" ? "no group" : group;
    case "update":
      return `asked for ${version}`;
    case "retire":
      return "retired";
    default:
      return assertNever(kind);
  }
}

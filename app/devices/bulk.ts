import { assertNever } from "../assert-never.ts";
import { formatCount, plural } from "../format/quantity.ts";

/** The changes that can be made to many devices at once. `drain`: pause once the running jobs are finished. */
export const bulkKinds = ["pause", "drain", "resume", "group", "retire"] as const;
export type BulkKind = (typeof bulkKinds)[number];

/** `group`: the group to move to; "" means out of all groups. Other acts have none. */
export type BulkAct = { readonly kind: BulkKind; readonly group: string };

/** The facts of a device that decide whether an act changes it. */
export type BulkFacts = {
  readonly status: "pending" | "active" | "retired";
  /** Paused by a person. */
  readonly asked: boolean;
  /** Paused because it failed too often. */
  readonly failing: boolean;
  readonly groups: readonly string[];
};

export type BulkEffect = "changes" | "same" | "cannot";

/** Whether an act changes a device, leaves it as it is, or does not fit it. */
export function effectOf({ kind, group }: BulkAct, device: BulkFacts): BulkEffect {
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
    case "retire":
      if (device.status === "pending") return "cannot";
      return device.status === "retired" ? "same" : "changes";
    default:
      return assertNever(kind);
  }
}

export type BulkCounts = { readonly changes: number; readonly same: number; readonly cannot: number };

/** "12 devices: 9 pause, 3 are paused already." */
export function bulkPreview({ kind, group }: BulkAct, { changes, same, cannot }: BulkCounts): string {
  const { verb, already } = wordsOf(kind, group);
  const parts = [
    `${formatCount(changes)} ${verb}`,
    ...(same === 0 ? [] : [`${formatCount(same)} ${already} already`]),
    ...(cannot === 0 ? [] : [`${formatCount(cannot)} cannot, since they are not in service`]),
  ];
  return `${plural(changes + same + cannot, ["# device", "# devices"])}: ${parts.join(", ")}.`;
}

function wordsOf(kind: BulkKind, group: string): { readonly verb: string; readonly already: string } {
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
    case "retire":
      return { verb: /* @wc-include */ "retire", already: "are retired" };
    default:
      return assertNever(kind);
  }
}

/** A device before the act, in words that are counted for the audit trail. */
export function bulkBefore({ kind }: BulkAct, { status, asked, failing, groups }: BulkFacts): string {
  if (kind === "group") return groups.length === 0 ? "no group" : groups.join(", ");
  if (status !== "active") return status;
  return failing ? "paused automatically" : asked ? "paused" : "in service";
}

/** The same of a device after the act. */
export function bulkAfter({ kind, group }: BulkAct): string {
  switch (kind) {
    case "pause":
      return "paused";
    case "drain":
      return "finishing, then paused";
    case "resume":
      return "in service";
    case "group":
      return group === "" ? "no group" : group;
    case "retire":
      return "retired";
    default:
      return assertNever(kind);
  }
}

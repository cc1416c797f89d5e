import { formatCount, formatTenths, plural } from "../../format/quantity.ts";
import type { ReplayTotals } from "./replay.ts";

/** The days that a device replays. */
export const replayedDays = 7;
/** The most that a device can have recorded, in minutes. */
export const maxMinutes = replayedDays * 24 * 60;

/** A device's whole answer: minutes, rounded so that nobody can tell when somebody worked. `now`: under the rules in force. */
export type DeviceTotals = {
  readonly recorded: number;
  readonly happened: number;
  readonly now: number;
  readonly draft: number;
  readonly nowSpans: number;
  readonly draftSpans: number;
  /** Minutes in which facts decide that the device did not record. */
  readonly unsure: number;
};

/** The answers of many devices, added up. */
export type PreviewSums = DeviceTotals & {
  /** Devices that replayed something. */
  readonly devices: number;
  /** Devices that answered that they have recorded nothing yet. */
  readonly withoutRecord: number;
  /** Devices that donated nothing. */
  readonly nowNever: number;
  readonly draftNever: number;
};

export const noSums: PreviewSums = {
  devices: 0,
  withoutRecord: 0,
  recorded: 0,
  happened: 0,
  now: 0,
  draft: 0,
  nowSpans: 0,
  draftSpans: 0,
  unsure: 0,
  nowNever: 0,
  draftNever: 0,
};

/** A device's answer from its two replays. Null if it has recorded less than a minute. */
export function deviceTotals(now: ReplayTotals, draft: ReplayTotals): DeviceTotals | null {
  if (minutes(draft.recorded) === 0) return null;
  return {
    recorded: minutes(draft.recorded),
    happened: minutes(draft.happened),
    now: minutes(now.donated),
    draft: minutes(draft.donated),
    nowSpans: now.spans,
    draftSpans: draft.spans,
    unsure: minutes(draft.unsure),
  };
}

function minutes(ms: number): number {
  return Math.round(ms / 60_000);
}

/** A device's answer within the bounds of what can be true. */
export function clampedTotals(totals: DeviceTotals): DeviceTotals {
  const recorded = whole(totals.recorded, maxMinutes);
  return {
    recorded,
    happened: whole(totals.happened, recorded),
    now: whole(totals.now, recorded),
    draft: whole(totals.draft, recorded),
    nowSpans: whole(totals.nowSpans, recorded * 60),
    draftSpans: whole(totals.draftSpans, recorded * 60),
    unsure: whole(totals.unsure, recorded),
  };
}

function whole(value: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(0, Math.round(value))) : 0;
}

/** One answer as sums. Null: the device has recorded nothing. */
export function sumsOf(totals: DeviceTotals | null): PreviewSums {
  if (totals === null) return { ...noSums, withoutRecord: 1 };
  const clamped = clampedTotals(totals);
  if (clamped.recorded === 0) return { ...noSums, withoutRecord: 1 };
  return {
    ...clamped,
    devices: 1,
    withoutRecord: 0,
    nowNever: clamped.now === 0 ? 1 : 0,
    draftNever: clamped.draft === 0 ? 1 : 0,
  };
}

export function addSums(one: PreviewSums, other: PreviewSums): PreviewSums {
  const names = Object.keys(noSums) as readonly (keyof PreviewSums)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as PreviewSums;
}

/** A preview as the console knows it. `fleet` is null until the devices are counted. */
export type PreviewView = {
  readonly isOpen: boolean;
  readonly fleet: { readonly online: number; readonly offline: number } | null;
  readonly sums: PreviewSums;
};

/** "With this draft 41 devices would have given 312 h instead of 220 h in the last 7 days; 9 would never donate." Null without answers. */
export function sayPreview({ devices, draft, now, draftNever }: PreviewSums): string | null {
  if (devices === 0) return null;
  const fleet = plural(devices, ["# device", "# devices"]);
  const never = draftNever === 0 ? "each would have donated" : `${String(draftNever)} would never donate`;
  return draft === now
    ? `With this draft ${fleet} would have given ${sayHours(draft)} in the last 7 days, as with the rules in force; ${never}.`
    : `With this draft ${fleet} would have given ${sayHours(draft)} instead of ${sayHours(now)} in the last 7 days; ${never}.`;
}

/** "38 of 41 devices answered; 3 are offline." */
export function sayProgress({ fleet, sums, isOpen }: PreviewView): string {
  const answered = sums.devices + sums.withoutRecord;
  if (fleet === null)
    return answered === 0
      ? "Asking the devices…"
      : plural(answered, ["# device answered.", "# devices answered."]);
  const total = Math.max(answered, fleet.online + fleet.offline);
  if (total === 0) return "No device follows these rules.";
  const missing = total - answered;
  const offline = Math.min(missing, fleet.offline);
  const rest = missing - offline;
  const clauses = [
    `${String(answered)} of ${plural(total, ["# device", "# devices"])} answered`,
    ...(offline === 0 ? [] : [plural(offline, ["# is offline", "# are offline"])]),
    ...(rest === 0
      ? []
      : [
          isOpen
            ? plural(rest, ["# has not answered yet", "# have not answered yet"])
            : `${String(rest)} did not answer and may have an older version of Gleaner`,
        ]),
  ];
  return `${clauses.join("; ")}.`;
}

/** How far the numbers can be trusted, a sentence each. */
export function sayCaveats(sums: PreviewSums): readonly string[] {
  const { devices, withoutRecord, recorded, happened, unsure } = sums;
  if (devices + withoutRecord === 0) return [];
  return [
    ...(devices === 0
      ? []
      : [
          `The devices recorded ${sayHours(recorded)} of these days. In fact they gave ${sayHours(happened)}.`,
        ]),
    ...(withoutRecord === 0
      ? []
      : [
          plural(withoutRecord, [
            "# device has no record yet and is not counted.",
            "# devices have no record yet and are not counted.",
          ]),
        ]),
    ...(unsure === 0
      ? []
      : [
          `For ${sayHours(unsure)} the draft needs facts that the devices did not record, since no rule needed them then.`,
        ]),
  ];
}

/** Minutes as hours, with a space that does not break: whole ones from 10 on. */
export function sayHours(minutes: number): string {
  const hours = minutes / 60;
  const said = hours >= 10 || Number.isInteger(hours) ? formatCount(hours) : formatTenths(hours);
  return `${said}\u00a0h`;
}

import type { FunctionArgs } from "convex/server";
import {
  actionWords,
  actorWords,
  auditActions,
  auditGroupOf,
  auditGroups,
  auditGroupWords,
} from "../../../app/audit.ts";
import type { api } from "../../../convex/_generated/api.js";
import type { Option } from "../../ui/controls/Select.tsx";
import type { AuditRow } from "../data/rows.ts";

export type ListArgs = Omit<FunctionArgs<typeof api.console.audit.list>, "session" | "paginationOpts">;

/** The filters as the address has them. "" is no filter. */
export type FilterTexts = {
  /** The id of a member or an API key, or a word for another actor. */
  readonly who: string;
  /** An action, or a group of actions. */
  readonly action: string;
  readonly subject: string;
  /** Days such as "2026-11-25", in local time. */
  readonly from: string;
  readonly to: string;
};

export const noFilters: FilterTexts = { who: "", action: "", subject: "", from: "", to: "" };

/** The filter of the backend. A text that means nothing filters nothing. The last day is included. */
export function listArgsOf({ who, action, subject, from, to }: FilterTexts): ListArgs {
  const [start, end] = [dayStart(from, 0), dayStart(to, 1)];
  const group = auditGroups.find((one) => one === action);
  const isAction = auditActions.some((one) => one === action);
  return {
    ...(who === "" ? {} : { who }),
    ...(group === undefined ? {} : { group }),
    ...(isAction ? { action } : {}),
    ...(subject === "" ? {} : { subject }),
    ...(start === null ? {} : { from: start }),
    ...(end === null ? {} : { to: end }),
  };
}

export const isFiltered = (filter: FilterTexts): boolean => Object.values(filter).some((text) => text !== "");

/** The start of a local day, some days later; null if the text is no day. */
function dayStart(text: string, days: number): number | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  return new Date(year, month - 1, day + days).getTime();
}

/** The actions to choose from, by their groups. */
export const actionOptions: readonly Option[] = [
  { value: "", label: "Any action" },
  ...auditGroups.flatMap((group) => {
    const heading = auditGroupWords(group);
    const own = auditActions.filter((action) => auditGroupOf(action) === group);
    if (own.length === 0) return [];
    return [
      { value: group, label: `All of: ${heading}`, group: heading },
      ...own.map((action) => ({ value: action, label: actionWords(action), group: heading })),
    ];
  }),
];

/** Actors without a row of their own. */
const otherActors = ["setup", "device", "visitor", "system"] as const;

type Person = { readonly id: string; readonly name: string };

/** The people to choose from, and the chosen one, whose name a row may tell. */
export function whoOptions(
  who: string,
  members: readonly Person[],
  rows: readonly AuditRow[],
): readonly Option[] {
  const options = [
    { value: "", label: "Anybody" },
    ...members.map(({ id, name }) => ({ value: id, label: name, group: "Members" })),
    ...otherActors.map((actor) => ({ value: actor, label: actorWords(actor), group: "Others" })),
  ];
  if (options.some(({ value }) => value === who)) return options;
  const name = rows.find((row) => whoOf(row) === who)?.by ?? "The chosen one";
  return [...options, { value: who, label: name, group: "Chosen" }];
}

/** The value of the filter that finds the rows of this one's actor. */
export function whoOf({ memberId, keyId, actor }: AuditRow): string {
  return memberId ?? keyId ?? actor;
}

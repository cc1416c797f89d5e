import type { Role } from "../people/roles.ts";

/** Those who may look at the prompts and answers of colleagues, beside the requester of a job. */
export const lookers = ["requester", "owners", "managers"] as const;
export type Lookers = (typeof lookers)[number];

/** The rules of an organization for a class of data. */
export type DataClass = {
  readonly name: string;
  /** Devices in one of them get its jobs. Empty: devices that an admin gave the class. */
  readonly groups: readonly string[];
  /** How long prompts and answers are kept after the end of a job. */
  readonly keptHours: number;
  readonly lookers: Lookers;
};

export const dataClassLimits = {
  classes: 16,
  nameChars: 120,
  groups: 8,
  /** From an hour to 30 days; without a rule a day. */
  keptHours: { least: 1, most: 720, usual: 24 },
} as const;

/** The names of the classes that most organizations have, from the least to the most sensitive one. */
export const usualClasses = ["public", "internal", "restricted"] as const;

/** The rules of a class; null if the organization has none for it. */
export function classNamed(classes: readonly DataClass[], name: string | undefined): DataClass | null {
  return classes.find((each) => each.name === name) ?? null;
}

/** A key's classes: the one of its jobs that name none, and the highest one that a request may name. */
export type KeyClasses = { readonly usual?: string; readonly highest?: string };

export type ChosenClass =
  | { readonly kind: "ok"; readonly name: string | undefined }
  | { readonly kind: "refused"; readonly why: string };

/**
 * The class of a request. It may name a class that is at least as sensitive as that of its key, up to the key's highest one.
 * @param classes from the least to the most sensitive one.
 * @param asked the class that the request names.
 */
export function chooseClass(
  classes: readonly DataClass[],
  { usual, highest = usual }: KeyClasses,
  asked: string | undefined,
): ChosenClass {
  if (asked === undefined || asked === usual) return { kind: "ok", name: usual };
  // A key without classes leaves the choice to its requests.
  if (highest === undefined) return { kind: "ok", name: asked };
  const rankOf = (name: string | undefined): number => classes.findIndex((each) => each.name === name);
  const [least, wanted, most] = [rankOf(usual), rankOf(asked), rankOf(highest)];
  const isBetween = wanted >= 0 && wanted <= most && (usual === undefined || (least >= 0 && wanted > least));
  if (isBetween) return { kind: "ok", name: asked };
  const range =
    usual === undefined
      ? `data classes up to ${highest}`
      : usual === highest
        ? `the data class ${usual}`
        : `data classes from ${usual} to ${highest}`;
  return { kind: "refused", why: `This API key's jobs have ${range}, not ${asked}.` };
}

/** Whether a colleague with these roles may look at the jobs of a class. */
export function mayLookAt({ lookers: allowed }: DataClass, held: readonly Role[]): boolean {
  return rolesOf[allowed].some((role) => held.includes(role));
}

const rolesOf: Readonly<Record<Lookers, readonly Role[]>> = {
  requester: [],
  owners: ["owner"],
  managers: ["owner", "admin"],
};

/** A class's rules in words, for the audit trail. */
export function classWords({ name, groups, keptHours, lookers: allowed }: DataClass): string {
  const where = groups.length === 0 ? "devices with this class" : `groups ${groups.join(" or ")}`;
  const who = {
    requester: "only requesters look",
    owners: "owners may look",
    managers: "owners and admins may look",
  }[allowed];
  return `${name}: ${where}, kept ${String(keptHours)} h, ${who}`;
}

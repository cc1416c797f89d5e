import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";

/** A person as a provider describes them. */
export type Identity = {
  readonly subject: string;
  /** In lower case. Null: it gave none. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** Whether the provider left groups out because they are too many. */
  readonly groupsCut: boolean;
};

const maxSubjectChars = 255;
const maxEmailChars = 254;
const maxGroups = 1_000;
const maxGroupChars = 256;

/** Reads claims, which the provider may fill with anything. Throws without a usable subject. */
export function identityFrom(claims: Readonly<Record<string, unknown>>, groupsClaim: string): Identity {
  const subject = claims["sub"];
  if (typeof subject !== "string" || subject === "" || subject.length > maxSubjectChars) {
    throw new Error("The provider gave no usable subject.");
  }
  const given = [claims[groupsClaim] ?? []].flat();
  const groups = given.filter(
    (group) => typeof group === "string" && group.length <= maxGroupChars,
  ) as string[];
  const verified = claims["email_verified"];
  return {
    subject,
    email: emailFrom(claims["email"]),
    // Some providers send it as text.
    emailVerified: verified === true || verified === "true",
    name: nameFrom(claims["name"]),
    groups: groups.slice(0, maxGroups),
    groupsCut: groups.length > maxGroups || isLeftOut(claims["_claim_names"], groupsClaim),
  };
}

function emailFrom(claim: unknown): string | null {
  if (typeof claim !== "string" || claim.length > maxEmailChars) return null;
  const email = claim.trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email) && visibleText(email) === email ? email : null;
}

function nameFrom(claim: unknown): string | null {
  if (typeof claim !== "string") return null;
  const name = visibleText(claim.trim()).slice(0, limits.nameChars);
  return name === "" ? null : name;
}

/** Entra replaces more than 200 groups by a link in `_claim_names`. */
function isLeftOut(names: unknown, groupsClaim: string): boolean {
  return typeof names === "object" && names !== null && Object.hasOwn(names, groupsClaim);
}

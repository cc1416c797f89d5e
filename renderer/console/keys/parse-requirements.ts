import { formatCount } from "../../../app/format/quantity.ts";
import { needLimits } from "../../../app/keys/requirements.ts";
import { splitNames } from "../../ui/names.ts";
import type { KeyRow } from "../data/rows.ts";

export type TypedRequirements = {
  readonly groups: string;
  readonly tags: string;
  readonly gpu: boolean;
  readonly memoryGb: string;
  readonly vramGb: string;
  readonly dataClass: string;
};

type Parsed =
  | { readonly kind: "ok"; readonly requirements: KeyRow["requirements"] }
  | {
      readonly kind: "wrong";
      readonly field: "groups" | "tags" | "memoryGb" | "vramGb" | "dataClass";
      readonly why: string;
    };

/** Parses typed requirements of an API key. An empty field requires nothing. */
export function parseRequirements(typed: TypedRequirements): Parsed {
  const { names, nameChars } = needLimits;
  const lists = { groups: splitNames(typed.groups), tags: splitNames(typed.tags) };
  for (const field of ["groups", "tags"] as const) {
    if (lists[field].length > names)
      return { kind: "wrong", field, why: `At most ${names} can be required.` };
    if (lists[field].some((name) => name.length > nameChars))
      return { kind: "wrong", field, why: `A name has at most ${nameChars} characters.` };
  }
  const dataClass = typed.dataClass.trim();
  if (dataClass.length > nameChars)
    return { kind: "wrong", field: "dataClass", why: `A data class has at most ${nameChars} characters.` };
  const [memoryGb, vramGb] = [parseGigabytes(typed.memoryGb), parseGigabytes(typed.vramGb)];
  if (memoryGb === null || vramGb === null) {
    return {
      kind: "wrong",
      field: memoryGb === null ? "memoryGb" : "vramGb",
      why: `Must be a whole number from 1 to ${formatCount(needLimits.memoryGb)}.`,
    };
  }
  return {
    kind: "ok",
    requirements: {
      ...(lists.groups.length === 0 ? {} : { groups: lists.groups }),
      ...(lists.tags.length === 0 ? {} : { tags: lists.tags }),
      ...(typed.gpu ? { gpu: true } : {}),
      ...(memoryGb === undefined ? {} : { memoryGb }),
      ...(vramGb === undefined ? {} : { vramGb }),
      ...(dataClass === "" ? {} : { dataClass }),
    },
  };
}

/** Undefined for an empty field; null if it is no whole number within the limits. */
function parseGigabytes(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return undefined;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return value < 1 || value > needLimits.memoryGb ? null : value;
}

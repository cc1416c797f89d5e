import { plainNumber, typedNumber } from "../../../../app/format/typed-number.ts";
import type { RuleFilter } from "../fleet-filters.ts";
import type { RuleDraft } from "./useRulePreview.ts";

/** A rule as its form has it. "": the condition is missing. */
export type RuleForm = {
  readonly group: string;
  readonly named: string;
  readonly platform: string;
  readonly fromVersion: string;
  readonly memoryGb: string;
  readonly gpu: string;
  readonly tag: string;
  readonly model: string;
  readonly owner: RuleFilter["owner"] | null;
};

export function formOf({ group, filter }: RuleDraft): RuleForm {
  const { named = "", platform = "", fromVersion = "", memoryGb, gpu = "", tag = "", model = "" } = filter;
  return {
    group,
    named,
    platform,
    fromVersion,
    memoryGb: memoryGb === undefined ? "" : typedNumber(memoryGb),
    gpu,
    tag,
    model,
    owner: filter.owner ?? null,
  };
}

/** The rule that a form means, or why it means none. */
export function draftOf({
  group,
  memoryGb,
  owner,
  ...texts
}: RuleForm): RuleDraft | { readonly error: string } {
  const memory = memoryGb.trim() === "" ? undefined : Number(plainNumber(memoryGb));
  if (group.trim() === "") return { error: "Name the group." };
  if (memory !== undefined && !(memory > 0))
    return { error: "Enter the memory as a number of GB, such as 16." };
  const given = Object.entries(texts).filter(([, text]) => text.trim() !== "");
  const filter: RuleFilter = {
    ...(Object.fromEntries(given.map(([name, text]) => [name, text.trim()])) as typeof texts),
    ...(memory === undefined ? {} : { memoryGb: memory }),
    ...(owner === null || owner === undefined ? {} : { owner }),
  };
  if (Object.keys(filter).length === 0) return { error: "Choose at least one condition." };
  return { group: group.trim(), filter };
}

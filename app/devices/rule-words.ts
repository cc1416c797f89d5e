import { platformWords } from "../format/platform.ts";
import { formatCount } from "../format/quantity.ts";
import type { RuleFilter } from "./filter.ts";

/** Each condition in words: "Windows", "at least 16 GB of memory". `ownerName`: of the owner that the rule asks for. */
export function conditionWords(filter: RuleFilter, ownerName: string | null): readonly string[] {
  const { named, platform, fromVersion, model, memoryGb, gpu, tag, owner } = filter;
  const words = (value: string | number | undefined, text: string): readonly string[] =>
    value === undefined ? [] : [text];
  return [
    ...words(platform, platformWords(platform ?? "")),
    ...words(named, `name with “${named ?? ""}”`),
    ...words(memoryGb, `at least ${formatCount(memoryGb ?? 0)} GB of memory`),
    ...words(gpu, gpu === "any" ? "a GPU" : gpu === "none" ? "no GPU" : `GPU with ${gpu ?? ""}`),
    ...words(fromVersion, `version ${fromVersion ?? ""} or newer`),
    ...words(model, `model ${model ?? ""}`),
    ...words(tag, `tag “${tag ?? ""}”`),
    ...words(owner, `owner ${ownerName ?? "who left"}`),
  ];
}

/** "Windows, at least 16 GB of memory". */
export function ruleWords(filter: RuleFilter, ownerName: string | null): string {
  return conditionWords(filter, ownerName).join(", ");
}

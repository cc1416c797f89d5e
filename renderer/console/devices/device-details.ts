import { reportedTags } from "../../../app/devices/filter.ts";
import { factLabel } from "../../../app/facts/facts.ts";
import { kindWords } from "../../../app/format/job-kind.ts";
import { platformWords } from "../../../app/format/platform.ts";
import { formatCount, formatMebibytes } from "../../../app/format/quantity.ts";
import { uncapitalize } from "../../../app/format/text.ts";
import type { ArrivalRow, DeviceRow } from "../data/rows.ts";
import { speedWords } from "../models/model-words.ts";

type DeviceSpeed = { readonly modelId: string; readonly words: string };

/** A device's measured speed with each model: "420 / 38 tok/s, cpu". */
export function deviceSpeeds({ models }: Pick<DeviceRow, "models">): readonly DeviceSpeed[] {
  return models.flatMap(({ modelId, speed }) => {
    if (speed === undefined) return [];
    return [{ modelId, words: `${speedWords(speed.prefill, speed.generate) ?? ""}, ${speed.backend}` }];
  });
}

/** A fact and its value, in words. */
type KnownFact = readonly [label: string, value: string];

/** All that a device has reported about its computer. A fact that it did not report is left out. */
export function knownFacts({
  platform,
  version,
  capabilities: able,
  signs,
}: Pick<DeviceRow, "platform" | "version" | "capabilities" | "signs">): readonly KnownFact[] {
  const { gpus, tags } = reportedTags(able?.tags ?? []);
  const gpu = gpus.join(", ") || (able?.gpu === true ? /* @wc-include */ "yes" : "");
  const longest = Math.max(
    able?.contextTokens ?? 0,
    ...(able?.contexts ?? []).map(({ contextTokens }) => contextTokens),
  );
  const figures: readonly (readonly [string, number | undefined, (value: number) => string])[] = [
    ["Memory for jobs", able?.memoryMb, formatMebibytes],
    ["Free GPU memory", able?.vramMb, formatMebibytes],
    ["Jobs at once", able?.concurrency, formatCount],
    ["Jobs fetched ahead", able?.prefetch, formatCount],
    ["Longest context, in tokens", longest === 0 ? undefined : longest, formatCount],
  ];
  const texts: readonly KnownFact[] = [
    ["System", platformWords(platform)],
    ["Version", version ?? ""],
    ["GPU for models", gpu],
    ["Kinds of jobs", (able?.kinds ?? []).map(kindWords).join(", ")],
    ["Own tags", tags.join(", ")],
    ["Signs its results", signs ? /* @wc-include */ "yes" : /* @wc-include */ "no"],
  ];
  return [
    ...texts.filter(([, value]) => value !== ""),
    ...figures.flatMap(([label, value, say]): readonly KnownFact[] =>
      value === undefined ? [] : [[label, say(value)]],
    ),
  ];
}

/** The facts that a device cannot measure, in lower case. Empty if it reported no such fact. */
export function unknownWords(unknownFacts: readonly string[] | null): string {
  return (unknownFacts ?? []).map((fact) => uncapitalize(factLabel(fact))).join(", ");
}

/** How a device joined: "By the code Lab, from 192.0.2.7". Empty for a device of an earlier version. */
export function originWords({
  enrolledBy,
  enrolledFrom,
}: Pick<ArrivalRow, "enrolledBy" | "enrolledFrom">): string {
  if (enrolledBy === null) return "";
  return `By the code ${shortened(enrolledBy.label)}, from ${enrolledFrom ?? "an unknown address"}`;
}

const longestLabel = 60;

/** A long label would hide the address that comes after it. */
function shortened(label: string): string {
  const letters = Array.from(label);
  return letters.length <= longestLabel ? label : `${letters.slice(0, longestLabel - 1).join("")}…`;
}

import { factLabel } from "../../../app/facts/facts.ts";
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

import { factLabel } from "../../../app/facts/facts.ts";
import { uncapitalize } from "../../../app/format/text.ts";
import type { ArrivalRow, DeviceRow } from "../data/rows.ts";
import { speedWords } from "../models/model-words.ts";

/** A device's measured speeds, one line per model: "gleaner-demo 420 / 38 tok/s, cpu". */
export function deviceSpeeds({ models }: Pick<DeviceRow, "models">): readonly string[] {
  return models.flatMap(({ modelId, speed }) => {
    if (speed === undefined) return [];
    return [`${modelId} ${speedWords(speed.prefill, speed.generate) ?? ""}, ${speed.backend}`];
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
  return `By the code ${enrolledBy.label}, from ${enrolledFrom ?? "an unknown address"}`;
}

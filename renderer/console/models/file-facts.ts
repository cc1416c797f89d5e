import { formatBytes, formatCount, plural } from "../../../app/format/quantity.ts";
import type { Inspection } from "../data/rows.ts";
import type { ModelForm } from "./model-form.ts";

export type InspectionOutcome = NonNullable<Inspection["outcome"]>;
export type FileFacts = Extract<InspectionOutcome, { kind: "read" }>;

/** The fields of the form that a file tells. */
export function factsForm(facts: FileFacts): Partial<ModelForm> {
  const { modelId, source, sizeBytes, sha256, contextTokens, licence } = facts;
  return {
    modelId,
    source,
    sizeBytes: String(sizeBytes),
    sha256: sha256 ?? "",
    contextTokens: String(contextTokens),
    licence,
    template: "",
    pieces: null,
  };
}

/** The memory that a model needs. */
export function needWords(needsBytes: number): string {
  return `It needs about ${formatBytes(needsBytes)} of memory.`;
}

/** Sentences about a file: its model, and the devices that could run it. */
export function factWords(facts: FileFacts): readonly string[] {
  const { architecture, sizeBytes, contextTokens, hasTemplate, sha256, needsBytes, devices, fitting } = facts;
  const need = formatBytes(needsBytes);
  return [
    hasTemplate
      ? `A ${architecture} model of ${formatBytes(sizeBytes)} with a context of ${formatCount(contextTokens)} tokens and a chat template.`
      : `A ${architecture} model of ${formatBytes(sizeBytes)} with a context of ${formatCount(contextTokens)} tokens.`,
    devices === 0
      ? `It needs about ${need} of memory. There are no devices yet.`
      : `It needs about ${need} of memory: ${formatCount(fitting)} of ${plural(devices, ["# device", "# devices"])} could run it.`,
    ...(sha256 === null
      ? [
          "The server does not tell the file's SHA-256. If you have the file, the tab “From your own file” shows how to compute it.",
        ]
      : []),
  ];
}

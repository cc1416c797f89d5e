import { factLabel } from "../../../app/facts/facts.ts";

/** The facts that a device cannot tell, in a sentence's words. Empty: it knows all, or reported nothing. */
export function unknownWords(unknownFacts: readonly string[] | null): string {
  const labels = (unknownFacts ?? []).map(factLabel);
  return labels.map((label) => label.charAt(0).toLowerCase() + label.slice(1)).join(", ");
}

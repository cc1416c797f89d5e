type Named = { readonly modelId: string };

/** The most models that a message names. */
const mostNamed = 20;

/** Says which models there are, to somebody who asked for another one. "It" is the organization of the sentence before. */
export function offerWords(offered: readonly Named[]): string {
  const names = offered
    .slice(0, mostNamed)
    .map(({ modelId }) => modelId)
    .join(", ");
  if (names === "") return "It offers no model at the moment.";
  return offered.length > mostNamed ? `It offers ${names} and others.` : `It offers ${names}.`;
}

/**
 * The contexts, in tokens, that jobs ask for and devices offer, besides a model's whole context. There are few, because the
 * queue has a lane for each that is in use, and a device greets the backend again when its offer changes.
 */
const steps = [2_048, 8_192, 32_768, 131_072] as const;

/** A device that can run a model at all has this context, or the model's own if that is shorter. */
export const shortestContext = steps[0];

/**
 * The context that a job asks for.
 * @param tokens the most that its prompt and its answer can have.
 * @param whole the context of the model in the catalog.
 * @returns undefined if every device that has the model will do.
 */
export function contextNeed(tokens: number, whole: number): number | undefined {
  const need = steps.find((step) => step >= tokens && step < whole) ?? whole;
  return need <= shortestContext ? undefined : need;
}

/**
 * The context that a device offers for a model.
 * @param tokens of the context that fits into its memory.
 */
export function contextOffer(tokens: number, whole: number): number {
  return tokens >= whole ? whole : (steps.findLast((step) => step <= tokens) ?? tokens);
}

import type { LlamaContext } from "node-llama-cpp";

/** The library's own calls. It has no public ones between the end of a batch and the choice of its tokens. */
type Calls = {
  decodeBatch(): Promise<void>;
  sampleToken(...args: readonly unknown[]): Promise<unknown>;
};

/**
 * Has one choice of a token of each batch end before the others begin. llama.cpp reads a batch's sequences in an order of its own, and puts
 * the results into the batch's order as soon as somebody asks for one. The library chooses the tokens of all sequences at once, in threads
 * of their own. Two of these would reorder the same results at the same time, and take those of other tokens.
 */
export function reorderOutputsOnce(context: LlamaContext): void {
  const { _ctx: calls } = context as unknown as { readonly _ctx: Calls };
  const decodeBatch = calls.decodeBatch.bind(calls);
  const sampleToken = calls.sampleToken.bind(calls);
  let first: Promise<unknown> | null = null;
  const value: Pick<Calls, "decodeBatch" | "sampleToken"> = {
    decodeBatch: async () => {
      first = null;
      await decodeBatch();
    },
    sampleToken: async (...args) => {
      if (first !== null) {
        await Promise.allSettled([first]);
        return await sampleToken(...args);
      }
      first = sampleToken(...args);
      return await first;
    },
  };
  // The calls of native objects cannot be assigned.
  Object.defineProperties(calls, Object.getOwnPropertyDescriptors(value));
}

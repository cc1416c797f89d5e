import * as z from "zod";
import { utf8Length } from "../utf8.ts";

/**
 * Ids of tokens of the model's own tokenizer, in place of a text: numbers with a blank between them. They are one text, since a list
 * in Convex has at most 8,192 elements.
 */
export type TokenIds = { readonly tokenIds: string };

/** A text that a model reads, or its tokens. */
export type TextOrIds = string | TokenIds;

/** A payload that a device accepts. */
export const tokenIds = z.object({ tokenIds: z.string().regex(/^\d{1,7}(?: \d{1,7})*$/) });

export function packIds(ids: readonly number[]): TokenIds {
  return { tokenIds: ids.join(" ") };
}

export function unpackIds({ tokenIds: packed }: TokenIds): readonly number[] {
  return packed.split(" ").map(Number);
}

/** How many ids there are. */
export function countIds({ tokenIds: packed }: TokenIds): number {
  return packed.split(" ").length;
}

/** The most tokens that an input has: the bytes of a text, since each token has at least one. */
export function mostTokensOf(input: TextOrIds): number {
  return typeof input === "string" ? utf8Length(input) : countIds(input);
}

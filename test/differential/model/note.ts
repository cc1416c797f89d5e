import type { Fields } from "../convex/noteProgram.ts";

/** A note. Its number is its place in the order of creation. */
export type Note = { readonly number: number; readonly fields: Fields };

export const idOf = (number: number): string => `document ${number}`;

/** A document as functions see it, without its creation time. */
export const shown = ({ number, fields }: Note): Fields => ({ ...fields, _id: idOf(number) });

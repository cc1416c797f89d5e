import type fc from "fast-check";
import type { Farm } from "../../launch/farm/farm.ts";

/** Plain JSON, so that an input can be kept in a file. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A part of Gleaner that takes input from outside. */
export type Target = {
  readonly name: string;
  /** One line for the usage text. */
  readonly summary: string;
  /** Prepares the target. `farm` starts a backend at the first call; all targets share it. */
  readonly open: (farm: () => Promise<Farm>) => Promise<OpenTarget>;
};

export type OpenTarget = {
  readonly inputs: fc.Arbitrary<Json>;
  /** Inputs that were found or known to be dangerous. They are tried first. */
  readonly known: readonly Json[];
  /** Throws if the target does not handle the input as it must. */
  readonly check: (input: Json) => Promise<void>;
  /** Checked once after all inputs, for example the ledger. Throws, too. */
  readonly checkEnd?: () => Promise<void>;
  readonly close: () => Promise<void>;
};

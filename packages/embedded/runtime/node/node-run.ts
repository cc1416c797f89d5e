import type { ThrownValue } from "../execution/thrown-value.ts";
import type { AnalyzedFunction } from "./messages.ts";

/** One run of an action. */
export type NodeRun = {
  readonly module: string;
  readonly name: string;
  /** The list of arguments as JSON. */
  readonly args: string;
  readonly log: (line: string) => void;
  /** Runs a syscall. Resolves to its result as JSON; rejects with the error for the action. */
  readonly answer: (op: string, args: string) => Promise<string>;
  /** Aborts when nobody takes the outcome anymore. */
  readonly signal: AbortSignal;
};

/** `ended` means that the process could not finish the action, with a message for the caller. */
export type NodeOutcome =
  | { readonly kind: "returned"; readonly json: string }
  | { readonly kind: "threw"; readonly thrown: ThrownValue }
  | { readonly kind: "ended"; readonly message: string };

/** The functions of the modules, or the reason why they cannot be loaded. */
export type Analysis =
  | { readonly kind: "analyzed"; readonly functions: readonly AnalyzedFunction[] }
  | {
      readonly kind: "broken";
      readonly module: string;
      readonly thrown: ThrownValue;
      readonly hasReadVariables: boolean;
    }
  | { readonly kind: "ended"; readonly message: string };

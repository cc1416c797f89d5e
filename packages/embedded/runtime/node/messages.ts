import type { JSONValue } from "convex/values";
import * as z from "zod";
import { limits } from "../checks/limits.ts";
import { maxCopiedText } from "../execution/thrown-value.ts";

/*
 * The backend and a Node process send each other JSON. Code of an action can send messages as well, so the backend parses
 * what it receives.
 */

/** A message to a Node process. */
export type ToProcess =
  /** The first message. */
  | {
      readonly kind: "begin";
      /** The folder with the bundle's files. */
      readonly folder: string;
      readonly modules: readonly string[];
      readonly env: { readonly [name: string]: string };
    }
  | { readonly kind: "analyze" }
  | {
      readonly kind: "run";
      readonly run: string;
      readonly module: string;
      readonly name: string;
      /** The list of arguments as JSON. */
      readonly args: string;
    }
  /** Answers a syscall, with its result as JSON. */
  | { readonly kind: "answer"; readonly call: number; readonly json: string }
  | { readonly kind: "refusal"; readonly call: number; readonly message: string; readonly data?: JSONValue }
  | { readonly kind: "ping" };

const errorText = z.string().max(maxCopiedText);

const thrown = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), text: errorText }),
  z.object({
    kind: z.literal("error"),
    name: errorText,
    message: errorText,
    stack: z.string().max(2 * maxCopiedText),
    // It was parsed from JSON.
    data: z.custom<JSONValue>().optional(),
  }),
]);

const analyzed = z.object({
  module: z.string(),
  name: z.string(),
  type: z.enum(["Query", "Mutation", "Action", "HttpAction"]),
  visibility: z.enum(["public", "internal"]),
  /** Validators as JSON. */
  args: z.string(),
  returns: z.string(),
});

/** A function that a "use node" module exports. */
export type AnalyzedFunction = Readonly<z.infer<typeof analyzed>>;

/** A message from a Node process. */
export const fromProcess = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("analyzed"), functions: z.array(analyzed) }),
  z.object({ kind: z.literal("broken"), module: z.string(), thrown, hasReadVariables: z.boolean() }),
  z.object({ kind: z.literal("log"), run: z.string(), line: z.string().max(limits.logLineBytes) }),
  z.object({
    kind: z.literal("syscall"),
    run: z.string(),
    call: z.number(),
    op: z.string(),
    args: z.string(),
  }),
  z.object({ kind: z.literal("returned"), run: z.string(), json: z.string() }),
  z.object({ kind: z.literal("threw"), run: z.string(), thrown, isUncaught: z.boolean() }),
  z.object({ kind: z.literal("pong"), memoryBytes: z.number() }),
]);

export type FromProcess = z.infer<typeof fromProcess>;

import { anyApi, type FunctionReference, type FunctionReturnType } from "convex/server";
import type { Value } from "convex/values";
import type { QueueComponent } from "../component/component.ts";
import type * as validators from "../component/validators.ts";

/*
 * The types of a worker's calls, derived from the component's functions. Only types are imported: a worker's program
 * contains no code of the component.
 */

/** The same type with every field and array read-only. Payloads and results stay as they are. */
type Frozen<T> = Value extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Element)[]
      ? readonly Frozen<Element>[]
      : { readonly [Key in keyof T]: Frozen<T[Key]> };

type Work = QueueComponent["work"];
type WithKey<Args> = { readonly [Key in keyof Args as Exclude<Key, "keyHash">]: Frozen<Args[Key]> } & {
  key: string;
};

/** References to the functions that an app made with `workerFunctions(queue)`, such as its `api.work`. */
export type WorkerFunctions = {
  readonly [Name in keyof Work]: Work[Name] extends FunctionReference<
    infer Type,
    "internal",
    infer Args,
    infer Result
  >
    ? FunctionReference<Type, "public", WithKey<Args>, Frozen<Result>>
    : never;
};

/** References by the name of the app's module, for a program without the app's generated code: `functionsAt("work")`. */
export const functionsAt = (module: string): WorkerFunctions => anyApi[module] as unknown as WorkerFunctions;

type Result<Name extends keyof Work> = FunctionReturnType<WorkerFunctions[Name]>;

export type Capabilities = Frozen<validators.Capabilities>;
export type ClaimedJob = Frozen<validators.ClaimedJob>;
export type Cursor = Frozen<validators.Cursor>;
export type NextWork = Frozen<validators.NextWork>;
export type Requirements = Frozen<validators.Requirements>;
export type Stand = Frozen<validators.WaitSubscription>;
export type Wish = Frozen<validators.Demand>;

export type AttemptError = WorkerFunctions["fail"]["_args"]["error"];
export type Candidates = Result<"candidates">;
export type Candidate = Candidates["jobs"][number];
export type ClaimOutcome = Result<"claim">;
export type HeldRow = Pick<Result<"held">[number], "attemptId" | "watched">;
export type TakeOutcome = Result<"take">;

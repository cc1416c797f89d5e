import { anyApi, type ApiFromModules, type FunctionReference, type FunctionReturnType } from "convex/server";
import type { Value } from "convex/values";
import type * as validators from "../../shared/validators.ts";
import type { WorkerModule } from "../../shared/work.ts";

/*
 * The types of a worker's calls, derived from the functions that an app offers to its workers. Only types are imported: a
 * worker's program contains none of those functions.
 */

/** The same type with every field and array read-only. Payloads and results stay as they are. */
type Frozen<T> = Value extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Element)[]
      ? readonly Frozen<Element>[]
      : { readonly [Key in keyof T]: Frozen<T[Key]> };

type Work = ApiFromModules<{ work: WorkerModule }>["work"];

/** References to the functions of an app's module with the worker functions, such as its `api.work`. */
export type WorkerFunctions = {
  readonly [Name in keyof Work]: Work[Name] extends FunctionReference<
    infer Type,
    infer Visibility,
    infer Args,
    infer Result
  >
    ? FunctionReference<Type, Visibility, Frozen<Args>, Frozen<Result>>
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
export type Subtask = Frozen<validators.Subtask>;
export type WaitSubscription = Frozen<validators.WaitSubscription>;
export type Demand = Frozen<validators.Demand>;

export type AttemptError = WorkerFunctions["fail"]["_args"]["error"];
export type Candidates = Result<"candidates">;
export type Candidate = Candidates["jobs"][number];
export type ClaimOutcome = Result<"claim">;
export type HeldRow = Pick<Result<"held">[number], "attemptId" | "watched">;
export type SubmitOutcome = Result<"submit">;
export type TakeOutcome = Result<"take">;

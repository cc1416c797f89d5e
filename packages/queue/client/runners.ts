import type {
  FunctionArgs,
  FunctionReference,
  FunctionVisibility,
  GenericDataModel,
  GenericMutationCtx,
  GenericQueryCtx,
} from "convex/server";
import type { Value } from "convex/values";
import type { BatchView, ClaimEvent, FinalEvent, JobSpec } from "../shared/validators.ts";

/** The context of a query, a mutation or an action. */
export type QueryRunner = Pick<GenericQueryCtx<GenericDataModel>, "runQuery">;
/** The context of a mutation or an action. */
export type MutationRunner = Pick<GenericMutationCtx<GenericDataModel>, "runMutation">;

export type OnFinal = FunctionReference<"mutation", FunctionVisibility, FinalEvent, Value | null>;
export type OnDone = FunctionReference<"mutation", FunctionVisibility, BatchView, Value | null>;

export type OnClaim = FunctionReference<"query", FunctionVisibility, ClaimEvent, Value | null>;

/** A job as the app submits it. By default `onFinal`, `onClaim` and `policy` are those of the queue. */
export type JobInput = Omit<JobSpec, "onFinal" | "onClaim"> & {
  readonly onFinal?: OnFinal;
  readonly onClaim?: OnClaim;
};

/** A function's arguments without those that the client fills in. */
export type Rest<
  Reference extends FunctionReference<"query" | "mutation", "internal">,
  Given extends string,
> = Omit<FunctionArgs<Reference>, Given>;

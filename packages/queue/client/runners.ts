import type {
  FunctionArgs,
  FunctionReference,
  FunctionVisibility,
  GenericDataModel,
  GenericMutationCtx,
  GenericQueryCtx,
} from "convex/server";
import type { Value } from "convex/values";
import type { BatchView, FinalEvent, JobSpec } from "../component/validators.ts";

/** Anything that can run queries: the context of a query, a mutation or an action. */
export type QueryRunner = Pick<GenericQueryCtx<GenericDataModel>, "runQuery">;
/** Anything that can run mutations: the context of a mutation or an action. */
export type MutationRunner = Pick<GenericMutationCtx<GenericDataModel>, "runMutation">;

export type OnFinal = FunctionReference<"mutation", FunctionVisibility, FinalEvent, Value | null>;
export type OnDone = FunctionReference<"mutation", FunctionVisibility, BatchView, Value | null>;

/** A job as the app submits it: `onFinal` and `policy` are the queue's own where it names none. */
export type JobInput = Omit<JobSpec, "onFinal"> & { readonly onFinal?: OnFinal };

/** Takes a reference's arguments but those that are given beside them. */
export type Rest<
  Reference extends FunctionReference<"query" | "mutation", "internal">,
  Given extends string,
> = Omit<FunctionArgs<Reference>, Given>;

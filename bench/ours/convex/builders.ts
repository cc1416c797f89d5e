import {
  type GenericDataModel,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
} from "convex/server";

// The app has no tables of its own, so the generic data model is enough.
export const query = queryGeneric as QueryBuilder<GenericDataModel, "public">;
export const mutation = mutationGeneric as MutationBuilder<GenericDataModel, "public">;

import {
  type GenericDataModel,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
} from "convex/server";

// Everything is in the component: the app itself has no tables.
export const query = queryGeneric as QueryBuilder<GenericDataModel, "public">;
export const mutation = mutationGeneric as MutationBuilder<GenericDataModel, "public">;

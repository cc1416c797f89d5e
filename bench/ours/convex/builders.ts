import {
  mutationGeneric,
  queryGeneric,
  type GenericDataModel,
  type MutationBuilder,
  type QueryBuilder,
} from "convex/server";

// Everything is in the component: the app itself has no tables.
export const query = queryGeneric as QueryBuilder<GenericDataModel, "public">;
export const mutation = mutationGeneric as MutationBuilder<GenericDataModel, "public">;

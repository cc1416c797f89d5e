import {
  type ActionBuilder,
  actionGeneric,
  type DataModelFromSchemaDefinition,
  type GenericDatabaseReader,
  internalActionGeneric,
  internalMutationGeneric,
  internalQueryGeneric,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
} from "convex/server";
import type schema from "./schema.ts";

/** The generic builders with the schema's types, as codegen would write them into _generated/server. */
export type DataModel = DataModelFromSchemaDefinition<typeof schema>;
export type Reader = GenericDatabaseReader<DataModel>;

export const query = queryGeneric as QueryBuilder<DataModel, "public">;
export const mutation = mutationGeneric as MutationBuilder<DataModel, "public">;
export const action = actionGeneric as ActionBuilder<DataModel, "public">;
export const internalAction = internalActionGeneric as ActionBuilder<DataModel, "internal">;
export const internalQuery = internalQueryGeneric as QueryBuilder<DataModel, "internal">;
export const internalMutation = internalMutationGeneric as MutationBuilder<DataModel, "internal">;

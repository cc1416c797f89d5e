import {
  type DataModelFromSchemaDefinition,
  type DocumentByName,
  type GenericMutationCtx,
  internalMutationGeneric,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
} from "convex/server";
import type schema from "./schema.ts";

type DataModel = DataModelFromSchemaDefinition<typeof schema>;

export type MutationCtx = GenericMutationCtx<DataModel>;
export type Doc<Table extends "workers" | "messages" | "jobs"> = DocumentByName<DataModel, Table>;

/** The generic builders with the schema's types, in place of _generated/server. */
export const query = queryGeneric as QueryBuilder<DataModel, "public">;
export const mutation = mutationGeneric as MutationBuilder<DataModel, "public">;
export const internalMutation = internalMutationGeneric as MutationBuilder<DataModel, "internal">;

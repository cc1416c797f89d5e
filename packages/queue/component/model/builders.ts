import {
  type ActionBuilder,
  type DataModelFromSchemaDefinition,
  type DocumentByName,
  type GenericMutationCtx,
  type GenericQueryCtx,
  internalActionGeneric,
  internalMutationGeneric,
  internalQueryGeneric,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
  type TableNamesInDataModel,
} from "convex/server";
import type { GenericId } from "convex/values";
import type { schema } from "./schema.ts";

/** The generic builders for this component's tables, as code generation would write them. */
export type DataModel = DataModelFromSchemaDefinition<typeof schema>;
export type TableName = TableNamesInDataModel<DataModel>;
export type Doc<Table extends TableName> = DocumentByName<DataModel, Table>;
export type FinalJob = Doc<"jobs"> & { readonly status: Doc<"batchEnds">["outcome"] };
export type Id<Table extends TableName> = GenericId<Table>;
export type QueryCtx = GenericQueryCtx<DataModel>;
export type MutationCtx = GenericMutationCtx<DataModel>;

export const query = queryGeneric as QueryBuilder<DataModel, "public">;
export const mutation = mutationGeneric as MutationBuilder<DataModel, "public">;
export const internalQuery = internalQueryGeneric as QueryBuilder<DataModel, "internal">;
export const internalMutation = internalMutationGeneric as MutationBuilder<DataModel, "internal">;
export const internalAction = internalActionGeneric as ActionBuilder<DataModel, "internal">;

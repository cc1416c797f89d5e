import type { ModelView } from "../model/models/catalog.ts";
import type { Caller } from "./endpoint.ts";

/** A model as a caller names it. `alias`: null if it is the model's own name. */
export type NamedModel = {
  readonly model: ModelView;
  readonly alias: { readonly alias: string; readonly createdAt: number } | null;
};

/** The caller's models, and then the other names for them. */
export function allNamed(caller: Pick<Caller, "models" | "aliases">): readonly NamedModel[] {
  const names = [...caller.models.map(({ modelId }) => modelId), ...caller.aliases.map(({ alias }) => alias)];
  return names.flatMap((name) => namedModel(caller, (each) => each === name) ?? []);
}

/** The caller's model that has this name or this alias; undefined if no offered one has. */
export function namedModel(
  { models, aliases }: Pick<Caller, "models" | "aliases">,
  isNamed: (name: string) => boolean,
): NamedModel | undefined {
  const own = models.find(({ modelId }) => isNamed(modelId));
  if (own !== undefined) return { model: own, alias: null };
  const alias = aliases.find((each) => isNamed(each.alias));
  const model = models.find(({ modelId }) => modelId === alias?.modelId);
  return alias === undefined || model === undefined ? undefined : { model, alias };
}

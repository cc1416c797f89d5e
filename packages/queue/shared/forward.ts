import {
  componentsGeneric,
  type FunctionReference,
  mutationGeneric,
  queryGeneric,
  type RegisteredMutation,
  type RegisteredQuery,
} from "convex/server";
import {
  type GenericValidator,
  type Infer,
  type ObjectType,
  type PropertyValidators,
  v,
} from "convex/values";

/** By name: the arguments of functions that workers call, without the worker's key, and their return values. */
type Contract = Readonly<
  Record<string, { readonly args: PropertyValidators; readonly returns: GenericValidator }>
>;
type Args<C extends Contract[string]> = ObjectType<C["args"] & { key: ReturnType<typeof v.string> }>;
type Result<C extends Contract[string]> = Promise<Infer<C["returns"]>>;

/** An app's functions that workers call. */
export type Forwarded<Mutations extends Contract, Queries extends Contract> = {
  [Name in keyof Mutations]: RegisteredMutation<"public", Args<Mutations[Name]>, Result<Mutations[Name]>>;
} & {
  [Name in keyof Queries]: RegisteredQuery<"public", Args<Queries[Name]>, Result<Queries[Name]>>;
};

/** The component that gets the calls, with a hash in place of the worker's key. */
export type ForwardTarget = {
  readonly component: { readonly work: unknown };
  readonly hashKey: (key: string) => Promise<string>;
};

/** Makes functions that check their arguments and call the component's function of the same name. */
export function forward<Mutations extends Contract, Queries extends Contract>(
  mutations: Mutations,
  queries: Queries,
  { component, hashKey }: ForwardTarget = installedQueue,
): Forwarded<Mutations, Queries> {
  const work = component.work as Readonly<Record<string, unknown>>;
  const hashed = async ({ key, ...args }: { readonly key: string }) => ({
    ...args,
    keyHash: await hashKey(key),
  });
  const functions = [
    ...Object.entries(mutations).map(([name, { args }]) => [
      name,
      mutationGeneric({
        args: { ...args, key: v.string() },
        handler: async (ctx, call): Promise<unknown> =>
          await ctx.runMutation(work[name] as FunctionReference<"mutation", "internal">, await hashed(call)),
      }),
    ]),
    ...Object.entries(queries).map(([name, { args }]) => [
      name,
      queryGeneric({
        args: { ...args, key: v.string() },
        handler: async (ctx, call): Promise<unknown> =>
          await ctx.runQuery(work[name] as FunctionReference<"query", "internal">, await hashed(call)),
      }),
    ]),
  ];
  return Object.fromEntries(functions) as Forwarded<Mutations, Queries>;
}

/** SHA-256 of UTF-8 text, in hex. */
export async function sha256(text: string): Promise<string> {
  const digest = new DataView(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const words = [0, 4, 8, 12, 16, 20, 24, 28].map((at) => digest.getUint32(at));
  return words.map((word) => word.toString(16).padStart(8, "0")).join("");
}

const installedQueue: ForwardTarget = {
  component: componentsGeneric()["queue"] as unknown as ForwardTarget["component"],
  hashKey: sha256,
};

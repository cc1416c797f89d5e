import type { ConvexClient } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";

/** A subscription for tests: all values so far, and a way to wait for the next. */
type Watch<Value> = {
  readonly values: Value[];
  readonly errors: Error[];
  /** Resolves to the first value that passes, past or future. */
  readonly until: (passes: (value: Value) => boolean) => Promise<Value>;
  readonly untilError: () => Promise<Error>;
  readonly stop: () => void;
};

export function watch<Query extends FunctionReference<"query">>(
  client: ConvexClient,
  query: Query,
  args: FunctionArgs<Query>,
): Watch<FunctionReturnType<Query>> {
  type Value = FunctionReturnType<Query>;
  const values: Value[] = [];
  const errors: Error[] = [];
  const looks = new Set<() => void>();
  const changed = (): void => {
    for (const look of [...looks]) look();
  };
  const stop = client.onUpdate(
    query,
    args,
    (value) => {
      values.push(value);
      changed();
    },
    (error) => {
      errors.push(error);
      changed();
    },
  );
  const eventually = <Found>(find: () => { readonly found: Found } | null): Promise<Found> =>
    new Promise((resolve) => {
      const look = (): void => {
        const hit = find();
        if (hit === null) return;
        looks.delete(look);
        resolve(hit.found);
      };
      looks.add(look);
      look();
    });
  return {
    values,
    errors,
    until: (passes) =>
      eventually(() => {
        const at = values.findIndex(passes);
        return at === -1 ? null : { found: values[at] as Value };
      }),
    untilError: () => eventually(() => (errors[0] === undefined ? null : { found: errors[0] })),
    stop: () => {
      stop();
    },
  };
}

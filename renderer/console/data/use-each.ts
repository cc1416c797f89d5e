import { useQueries } from "convex/react";
import {
  type FunctionReference,
  type FunctionReturnType,
  getFunctionName,
  makeFunctionReference,
} from "convex/server";
import { useMemo } from "react";
import { useSession } from "./session-context.ts";

/**
 * The answers of one query about several things, by their ids. Each has a query of its own, so a change of one reads that one again. Those that
 * load or failed are missing.
 * @param argument the query's argument that has the id.
 */
export function useEach<Query extends FunctionReference<"query">>(
  query: Query,
  argument: string,
  ids: readonly string[],
): ReadonlyMap<string, FunctionReturnType<Query>> {
  const session = useSession();
  // A reference is another object at each render.
  const name = getFunctionName(query);
  const listed = ids.join();
  const queries = useMemo(
    () =>
      Object.fromEntries(
        listed
          .split(",")
          .filter((id) => id !== "")
          .map((id) => [
            id,
            { query: makeFunctionReference<"query">(name), args: { session, [argument]: id } },
          ]),
      ),
    [listed, session, name, argument],
  );
  const found = useQueries(queries) as Readonly<
    Record<string, FunctionReturnType<Query> | Error | undefined>
  >;
  return new Map(
    Object.entries(found).flatMap(([id, answer]) =>
      answer === undefined || answer instanceof Error ? [] : [[id, answer] as const],
    ),
  );
}

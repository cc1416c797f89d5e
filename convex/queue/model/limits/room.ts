import type { QueryCtx } from "../../builders.ts";
import { heldBy, type Limited } from "./held.ts";
import { limitOf } from "./limitOf.ts";

/** How many more jobs of the name may have their turn: Infinity where it is not limited, never below 0. */
export async function roomOf(ctx: QueryCtx, limited: Limited): Promise<number> {
  const limit = await limitOf(ctx, limited.scope, limited.of, limited.name);
  const most = limit?.concurrency;
  if (most === undefined) return Infinity;
  // A limit of none needs no count, and nothing can be taken of it.
  return most === 0 ? 0 : Math.max(0, most - (await heldBy(ctx, limited, most)));
}

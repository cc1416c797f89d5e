import type { QueryCtx } from "../../builders.ts";
import { limitOf } from "../jobs/limitOf.ts";
import { heldBy, type Limited } from "./held.ts";

export type Room = {
  /** How many more jobs of the name may have their turn: Infinity where it is not limited, never below 0. */
  readonly room: number;
  /** Rows that were counted for it: at most the limit. */
  readonly counted: number;
};

export async function roomOf(ctx: QueryCtx, limited: Limited): Promise<Room> {
  const limit = await limitOf(ctx, limited.scope, limited.of, limited.name);
  const most = limit?.concurrency;
  if (most === undefined) return { room: Infinity, counted: 0 };
  // A limit of none needs no count, and nothing can be taken of it.
  const held = most === 0 ? 0 : await heldBy(ctx, limited, most);
  return { room: most - held, counted: held };
}

import { boundedInteger, boundedName } from "../bounds.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { record } from "../events.ts";
import { limitOf } from "../jobs/turns.ts";
import { defined } from "../load.ts";
import { maxWeight } from "../placement.ts";
import { refuse } from "../refuse.ts";
import { admit, type LimitedName } from "./admit.ts";

/** Turns are counted at each admission, so their number is limited by what one call can read. */
const maxConcurrency = 1_000;

export type LimitChange = LimitedName & {
  /** Null removes the limit, undefined keeps it. The same applies to the weight. */
  readonly concurrency?: number | null;
  readonly weight?: number | null;
  readonly actor?: string;
};

/**
 * Limits a requester or a key, or sets a requester's weight. A higher limit takes effect at once. A lower one stops no
 * job that has its turn, and a weight applies to later submissions. Refuses: invalid.
 */
export async function setLimit(ctx: MutationCtx, change: LimitChange, now: number): Promise<void> {
  const { scope, of, name, actor } = change;
  check(change);
  const known = await limitOf(ctx, scope, of, name);
  const concurrency = merged(known?.concurrency, change.concurrency);
  const weight = merged(known?.weight, change.weight);
  await write(ctx, known, { scope, of, name, concurrency, weight });
  await record(ctx, { scope, at: now, actor, action: "limit.set", subject: subjectOf(change) });
  if (concurrency !== known?.concurrency) await admit(ctx, { scope, of, name }, now);
}

function check({ of, name, concurrency, weight }: LimitChange): void {
  boundedName(name, `The ${of}`);
  if (concurrency != null) boundedInteger(concurrency, "concurrency", 0, maxConcurrency);
  if (weight == null) return;
  boundedInteger(weight, "weight", 1, maxWeight);
  if (of === "key") refuse("invalid", "A key has no weight. Only requesters take turns.");
}

function merged(known: number | undefined, change: number | null | undefined): number | undefined {
  return change === undefined ? known : (change ?? undefined);
}

async function write(
  ctx: MutationCtx,
  known: Doc<"limits"> | null,
  {
    concurrency,
    weight,
    ...of
  }: LimitedName & { concurrency: number | undefined; weight: number | undefined },
): Promise<void> {
  const values = defined({ concurrency, weight });
  const empty = concurrency === undefined && weight === undefined;
  if (known === null) {
    if (!empty) await ctx.db.insert("limits", { ...of, ...values });
  } else if (empty) await ctx.db.delete("limits", known._id);
  else await ctx.db.replace("limits", known._id, { ...of, ...values });
}

function subjectOf({ of, name, concurrency, weight }: LimitChange): string {
  const changes = [
    ...(concurrency === undefined
      ? []
      : [`concurrency ${concurrency === null ? "unlimited" : String(concurrency)}`]),
    ...(weight === undefined ? [] : [`weight ${weight === null ? "1" : String(weight)}`]),
  ];
  return `${of} ${name}: ${changes.join(", ")}`;
}

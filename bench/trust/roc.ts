import { type Limits, limitsOf, noReplays, withReplay } from "../../app/trust/honest-replays.ts";
import type { Replay } from "../../app/trust/replay.ts";
import { mostExcess } from "../../app/trust/standing.ts";
import { excessOf } from "../../app/trust/verdict.ts";
import { foundAt, honestKind, type Sample } from "./figures.ts";

/** The shares of honest and of wrong answers that are accused, if all beyond a threshold are. */
export type RocPoint = { readonly threshold: number; readonly accused: number; readonly caught: number };

export type RocCurve = {
  readonly kind: string;
  /** So many answers of one device are judged together. */
  readonly together: number;
  /** From the highest threshold to the lowest. The threshold is the mean excess: 1 is the limit of a mean regret. */
  readonly points: readonly RocPoint[];
  /** The shares that the verdict accuses, which also asks for several misses. */
  readonly verdict: Omit<RocPoint, "threshold">;
};

/** The curve of each kind of wrong answers against the honest ones, of all temperatures that the kind has. */
export function rocCurves(samples: readonly Sample[], together: number): readonly RocCurve[] {
  const replaysOf = (kind: string): readonly Replay[] =>
    mixed(samples.filter((sample) => sample.kind === kind).map(({ replays }) => replays));
  const honest = replaysOf(honestKind);
  const limits = limitsOf(honest.reduce(withReplay, noReplays));
  const scores = (replays: readonly Replay[]): readonly number[] =>
    groups(replays, together).map((group) => scoreOf(group, limits));
  const accusedOf = (replays: readonly Replay[]): number =>
    shareOf(groups(replays, together), (group) => foundAt(group, limits) !== null);
  const ofHonest = scores(honest);
  const kinds = [...new Set(samples.map(({ kind }) => kind))].filter((kind) => kind !== honestKind);
  return kinds.map((kind) => {
    const wrong = replaysOf(kind);
    return {
      kind,
      together,
      points: pointsOf(ofHonest, scores(wrong)),
      verdict: { accused: accusedOf(honest), caught: accusedOf(wrong) },
    };
  });
}

/** One of each list after the other, so that the answers of a device are of all temperatures. */
function mixed(lists: readonly (readonly Replay[])[]): readonly Replay[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** From each answer on, so many. After the last one come the first ones. */
function groups(replays: readonly Replay[], size: number): readonly (readonly Replay[])[] {
  const around = [...replays, ...replays.slice(0, size - 1)];
  return replays.map((_, from) => around.slice(from, from + size));
}

/** One answer counts no more than in a standing. */
function scoreOf(group: readonly Replay[], limits: Limits): number {
  const most = group.length === 1 ? Infinity : mostExcess;
  return group.reduce((sum, replay) => sum + Math.min(most, excessOf(replay, limits)), 0) / group.length;
}

/** A point for each score of an honest answer, since only there another one is accused. */
function pointsOf(honest: readonly number[], wrong: readonly number[]): readonly RocPoint[] {
  const thresholds = [...new Set(honest)].sort((one, other) => other - one);
  const above = (threshold: number): RocPoint => ({
    threshold,
    accused: shareOf(honest, (score) => score > threshold),
    caught: shareOf(wrong, (score) => score > threshold),
  });
  return thresholds.map(above);
}

function shareOf<Item>(items: readonly Item[], is: (item: Item) => boolean): number {
  return items.filter(is).length / Math.max(1, items.length);
}

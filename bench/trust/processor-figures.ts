import { type Limits, limitsOf, noReplays, withReplay } from "../../app/trust/honest-replays.ts";
import type { Replay } from "../../app/trust/replay.ts";
import { excessOf, verdictOf } from "../../app/trust/verdict.ts";
import { foundAt } from "./figures.ts";

/** Honest answers that were computed in one way, and checked in one. */
export type PairSample = {
  readonly answered: string;
  readonly checked: string;
  /** The answers that have the same text in the first way. */
  readonly sameTexts: number;
  readonly replays: readonly Replay[];
};

type PairFigures = {
  readonly answered: string;
  readonly checked: string;
  readonly answers: number;
  readonly sameTexts: number;
  /** Of all tokens. */
  readonly meanRegret: number;
  readonly missShare: number;
  /** The answers that are beyond a limit, and those that are a mismatch by themselves: with the limits before anything is learned and after. */
  readonly odd: number;
  readonly accused: number;
  readonly byLearnedLimits: { readonly odd: number; readonly accused: number };
  /** How far the oddest answer is from an honest one: 1 is the learned limit. */
  readonly mostExcess: number;
  /** Whether a device with all these answers gets a case. */
  readonly hasCase: boolean;
};

/**
 * The figures of each pair. Computers with one system and no graphics card are one class, whatever their processor is. So all pairs
 * together teach its limits.
 */
export function pairFigures(samples: readonly PairSample[]): {
  readonly limits: Limits;
  readonly pairs: readonly PairFigures[];
} {
  const longest = Math.max(0, ...samples.map(({ replays }) => replays.length));
  const mixed = Array.from({ length: longest }, (_, at) =>
    samples.flatMap(({ replays }) => replays[at] ?? []),
  );
  const limits = limitsOf(mixed.flat().reduce(withReplay, noReplays));
  const defaults = limitsOf(noReplays);
  const pairs = samples.map(({ answered, checked, sameTexts, replays }) => {
    const sum = (of: (replay: Replay) => number): number =>
      replays.reduce((total, each) => total + of(each), 0);
    const judged = (by: Limits) => {
      const verdicts = replays.map((replay) => verdictOf(replay, by));
      return {
        odd: verdicts.filter((verdict) => verdict !== "fits").length,
        accused: verdicts.filter((verdict) => verdict === "mismatch").length,
      };
    };
    return {
      answered,
      checked,
      answers: replays.length,
      sameTexts,
      meanRegret: sum(({ regret }) => regret) / sum(({ tokens }) => tokens),
      missShare: sum(({ misses }) => misses) / sum(({ tokens }) => tokens),
      ...judged(defaults),
      byLearnedLimits: judged(limits),
      mostExcess: Math.max(...replays.map((replay) => excessOf(replay, limits))),
      hasCase: foundAt(replays, limits) !== null,
    };
  });
  return { limits, pairs };
}

/** The figures as a table in Markdown. */
export function pairTable({ pairs }: ReturnType<typeof pairFigures>): string {
  const rows = pairs.map((each) => [
    each.answered,
    each.checked,
    String(each.answers),
    String(each.sameTexts),
    each.meanRegret.toFixed(5),
    `${(100 * each.missShare).toFixed(2)} %`,
    `${String(each.odd)}, ${String(each.accused)}`,
    `${String(each.byLearnedLimits.odd)}, ${String(each.byLearnedLimits.accused)}`,
    each.mostExcess.toFixed(2),
    each.hasCase ? "yes" : "no",
  ]);
  const head = [
    "answered",
    "checked",
    "answers",
    "same texts",
    "mean regret",
    "misses",
    "odd, accused: default limits",
    "odd, accused: learned limits",
    "most excess",
    "a case",
  ];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

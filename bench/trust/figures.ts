import { type Limits, limitsOf, noReplays, withReplay } from "../../app/trust/honest-replays.ts";
import type { Replay } from "../../app/trust/replay.ts";
import { isDrifting, newStanding, withEvent } from "../../app/trust/standing.ts";
import { excessOf, verdictOf } from "../../app/trust/verdict.ts";
import { median } from "../support/statistics.ts";

/** The replays of answers that were made in one way, at one temperature. */
export type Sample = {
  readonly kind: string;
  readonly temperature: number;
  readonly replays: readonly Replay[];
};

export type KindFigures = {
  readonly kind: string;
  readonly temperature: number;
  readonly answers: number;
  /** Tokens of an answer. */
  readonly tokens: number;
  /** Of all tokens. */
  readonly meanRegret: number;
  readonly missShare: number;
  /** The share of answers that are a mismatch by themselves, by the limits before anything is learned and by those after. */
  readonly byDefaultLimits: number;
  readonly byLearnedLimits: number;
  /** The chance that such an answer has more regret than an honest one: the area below the ROC curve. */
  readonly auc: number;
  /** Replays, one after the other, until a device is found, by one answer or by all together; null if never. */
  readonly replaysUntilFound: number | null;
};

/** The name of the sample that the limits are learned from. */
export const honestKind = "honest";

/** The figures of each sample. Honest answers of all temperatures teach the limits, as on the real system. */
export function kindFigures(samples: readonly Sample[]): readonly KindFigures[] {
  const honest = samples.filter(({ kind }) => kind === honestKind);
  const learned = limitsOf(honest.flatMap(({ replays }) => replays).reduce(withReplay, noReplays));
  return samples.map(({ kind, temperature, replays }) => {
    const sum = (of: (replay: Replay) => number): number =>
      replays.reduce((total, each) => total + of(each), 0);
    const accused = (limits: Limits): number =>
      sum((replay) => (verdictOf(replay, limits) === "mismatch" ? 1 : 0)) / replays.length;
    const same = honest.find((sample) => sample.temperature === temperature)?.replays ?? [];
    return {
      kind,
      temperature,
      answers: replays.length,
      tokens: sum(({ tokens }) => tokens) / replays.length,
      meanRegret: sum(({ regret }) => regret) / sum(({ tokens }) => tokens),
      missShare: sum(({ misses }) => misses) / sum(({ tokens }) => tokens),
      byDefaultLimits: accused(limitsOf(noReplays)),
      byLearnedLimits: accused(learned),
      auc: aucOf(replays, same),
      replaysUntilFound: untilFound(replays, learned),
    };
  });
}

function aucOf(replays: readonly Replay[], honest: readonly Replay[]): number {
  const regret = ({ regret: sum, tokens }: Replay): number => sum / tokens;
  const wins = replays.flatMap((one) =>
    honest.map((other) => (regret(one) > regret(other) ? 1 : regret(one) === regret(other) ? 0.5 : 0)),
  );
  return wins.reduce<number>((total, win) => total + win, 0) / Math.max(1, wins.length);
}

/** The median, from each answer on. */
function untilFound(replays: readonly Replay[], limits: Limits): number | null {
  const found = replays.map((_, from) => {
    const at = foundAt([...replays.slice(from), ...replays.slice(0, from)], limits);
    return at === null ? Infinity : at + 1;
  });
  const middle = median(found);
  return Number.isFinite(middle) ? middle : null;
}

/** The answer of a device after which it has a case, by that answer or by all until then; null: it never has one. */
export function foundAt(replays: readonly Replay[], limits: Limits): number | null {
  let standing = newStanding(0);
  const at = replays.findIndex((replay) => {
    const verdict = verdictOf(replay, limits);
    if (verdict === "mismatch") return true;
    standing = withEvent(standing, verdict, 0, excessOf(replay, limits));
    return isDrifting(standing);
  });
  return at === -1 ? null : at;
}

/** The figures as a table in Markdown. */
export function kindTable(figures: readonly KindFigures[]): string {
  const rows = figures.map((each) => [
    each.kind,
    String(each.temperature),
    each.tokens.toFixed(0),
    each.meanRegret.toFixed(4),
    percent(each.missShare),
    percent(each.byDefaultLimits),
    percent(each.byLearnedLimits),
    each.kind === honestKind ? "–" : each.auc.toFixed(3),
    each.replaysUntilFound === null ? "–" : String(each.replaysUntilFound),
  ]);
  const head = [
    "answers",
    "temperature",
    "tokens",
    "mean regret",
    "misses",
    "accused, default limits",
    "accused, learned limits",
    "AUC",
    "replays until found",
  ];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

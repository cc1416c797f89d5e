/*
 * How likely another answer would agree with the chosen one. Requests differ in how sure the model is of its answer, so there are
 * several kinds of them. The earlier votes of the model tell how frequent each kind is, and the vote itself which of them it is.
 */

type Kind = {
  /** The chance that the answers to such a request form just these groups. */
  readonly likelihood: (groups: readonly number[]) => number;
  /** The chance that they do, and that one more answer agrees with the largest group. */
  readonly agrees: (groups: readonly number[]) => number;
};

/**
 * A request with so many possible answers, whose chances are a draw of a symmetric Dirichlet distribution. The higher the spread, the
 * more equal they are.
 */
function severalAnswers(answers: number, spread: number): Kind {
  const each = spread / answers;
  const likelihood = (groups: readonly number[]): number => {
    // With endlessly many answers each single one has no chance, but all that have not been given yet have.
    const begins = (at: number): number => (answers === Infinity ? spread : (answers - at) * each);
    const ofGroups = groups.map((size, at) => begins(at) * rising(each + 1, size - 1));
    return product(ofGroups) / rising(spread, votesIn(groups));
  };
  const agrees = (groups: readonly number[]): number =>
    (likelihood(groups) * (largestOf(groups) + each)) / (votesIn(groups) + spread);
  return { likelihood, agrees };
}

/**
 * A request with one usual answer, while all other answers differ from each other, as with texts. The chance of the usual one is a draw of a
 * beta distribution with this mean; the higher the strength, the closer it is to the mean.
 */
function usualAnswer(mean: number, strength: number): Kind {
  const [a, b] = [mean * strength, (1 - mean) * strength];
  /** The chance that certain answers are the usual one, and the others are not. */
  const chance = (usual: number, votes: number): number =>
    (rising(a, usual) * rising(b, votes - usual)) / rising(strength, votes);
  return {
    likelihood(groups) {
      const [votes, largest] = [votesIn(groups), largestOf(groups)];
      if (groups.filter((size) => size > 1).length > 1) return 0;
      return largest > 1 ? chance(largest, votes) : chance(0, votes) + votes * chance(1, votes);
    },
    agrees(groups) {
      if (groups.filter((size) => size > 1).length > 1) return 0;
      return chance(largestOf(groups) + 1, votesIn(groups) + 1);
    },
  };
}

const kinds: readonly Kind[] = [
  ...[2, 3, 5, Infinity].flatMap((answers) =>
    [0.03, 0.1, 0.3, 1, 3, 10, 30].map((spread) => severalAnswers(answers, spread)),
  ),
  ...[0.3, 0.6, 0.8, 0.9, 0.97].flatMap((mean) => [3, 10, 30].map((strength) => usualAnswer(mean, strength))),
];

/** How often votes had groups of certain sizes. The name of such a result has the sizes, the largest first: "2-1". */
export type VoteTally = Readonly<Record<string, number>>;

/** The name of a vote's result in a tally. */
export function tallyName(groups: readonly number[]): string {
  return groups.join("-");
}

/** Beyond this many votes all counts are halved, so that newer ones weigh more. */
const mostTallied = 2_000;

/** The tally with one more vote. A vote of one answer tells nothing. */
export function withVote(tally: VoteTally, groups: readonly number[]): VoteTally {
  if (votesIn(groups) < 2) return tally;
  const name = tallyName(groups);
  const counted = { ...tally, [name]: (tally[name] ?? 0) + 1 };
  if (Object.values(counted).reduce((sum, count) => sum + count, 0) <= mostTallied) return counted;
  const halved = Object.entries(counted).map(([each, count]) => [each, Math.floor(count / 2)] as const);
  return Object.fromEntries(halved.filter(([, count]) => count > 0));
}

/**
 * The chance, from 0 to 1, that one more answer of the model to the request would agree with the largest group.
 * @param groups the sizes of the groups, the largest first.
 * @param tally earlier votes of the model.
 */
export function confidenceOf(groups: readonly number[], tally: VoteTally): number {
  const weights = weightsOf(tally);
  const weighted = (of: (kind: Kind) => number): number =>
    sum(kinds.map((kind, at) => (weights[at] ?? 0) * of(kind)));
  return weighted(({ agrees }) => agrees(groups)) / weighted(({ likelihood }) => likelihood(groups));
}

/** All kinds together count as much as this many votes, each equally, as long as nothing is known. */
const priorVotes = 10;
const rounds = 50;

/** How frequent each kind is: the shares by which the tally is most likely (expectation maximization). */
function weightsOf(tally: VoteTally): readonly number[] {
  const prior = priorVotes / kinds.length;
  const seen = Object.entries(tally).map(([name, count]) => {
    const groups = name.split("-").map(Number);
    return { count, likelihoods: kinds.map(({ likelihood }) => likelihood(groups)) };
  });
  let weights = kinds.map(() => 1 / kinds.length);
  for (let round = 0; round < rounds && seen.length > 0; round++) {
    const shares = kinds.map(() => prior);
    for (const { count, likelihoods } of seen) {
      const fits = likelihoods.map((each, at) => each * (weights[at] ?? 0));
      const total = sum(fits);
      for (const [at, fit] of fits.entries()) shares[at] = (shares[at] ?? 0) + (count * fit) / total;
    }
    const total = sum(shares);
    weights = shares.map((share) => share / total);
  }
  return weights;
}

function largestOf([largest = 0]: readonly number[]): number {
  return largest;
}

function votesIn(groups: readonly number[]): number {
  return sum(groups);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function product(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total * each, 1);
}

/** from × (from + 1) × …, with so many factors. */
function rising(from: number, factors: number): number {
  return product(Array.from({ length: factors }, (_, at) => from + at));
}

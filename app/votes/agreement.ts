import { compare, type ComparedAnswer, type Comparison } from "./similarity.ts";

/** The result of a vote. */
export type Agreement = {
  /** The place of the answer that speaks for the largest group: the one that is most similar to the others in it. */
  readonly chosen: number;
  /** How many answers each group has, the largest group first. */
  readonly groups: readonly number[];
};

/**
 * Puts answers into groups whose answers all agree with each other: the largest possible group first, then the largest one of the
 * rest, and so on. Of several such groups it is the one whose answers are most similar, and then the one with the earliest answer.
 * @param answers in the order of their votes: at least one and at most a few, since all groups are tried.
 */
export function agreementOf(answers: readonly ComparedAnswer[]): Agreement {
  const compared = answers.map((one) => answers.map((other) => compare(one, other)));
  const groups: (readonly number[])[] = [];
  let left: readonly number[] = answers.map((_, place) => place);
  while (left.length > 0) {
    const group = largestGroup(left, compared);
    groups.push(group);
    left = left.filter((place) => !group.includes(place));
  }
  const [first = []] = groups;
  const [chosen] = first.toSorted(
    (a, b) => similarityIn(first, b, compared) - similarityIn(first, a, compared),
  );
  if (chosen === undefined) throw new Error("a vote has no answers");
  return { chosen, groups: groups.map((group) => group.length) };
}

/** Whether more than half of all answers agree. A single answer has nothing to disagree with. */
export function isMajority([largest = 0, ...others]: readonly number[]): boolean {
  return largest > others.reduce((sum, size) => sum + size, 0);
}

/** Of each pair of answers. */
type Compared = readonly (readonly Comparison[])[];

function largestGroup(places: readonly number[], compared: Compared): readonly number[] {
  const groups = subsets(places).filter((group) =>
    group.every((one) => group.every((other) => one === other || compared[one]?.[other]?.agree === true)),
  );
  const closeness = (group: readonly number[]): number =>
    group.reduce((sum, place) => sum + similarityIn(group, place, compared), 0);
  // Sorting keeps the order of equal ones, and the earliest answers come first.
  const [largest = []] = groups.toSorted((a, b) => b.length - a.length || closeness(b) - closeness(a));
  return largest;
}

/** How similar an answer is to the others of a group, in all. */
function similarityIn(group: readonly number[], place: number, compared: Compared): number {
  return group.reduce(
    (sum, other) => (other === place ? sum : sum + (compared[place]?.[other]?.similarity ?? 0)),
    0,
  );
}

/** All subsets but the empty one, in their order, and each in its own. */
function subsets([first, ...rest]: readonly number[]): readonly (readonly number[])[] {
  if (first === undefined) return [];
  const others = subsets(rest);
  return [[first], ...others.map((subset) => [first, ...subset]), ...others];
}

/** Prompts that share only the template, so that a cache does not help. About one token per character. */
export function unlikePrompts(count: number, round: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const number = round * 1_000 + index;
    // The first words differ by a scattered number.
    return `${(number * 2_654_435_761) % 2 ** 32} ${"lamp river stone ".repeat(7)}${number}?`;
  });
}

/** Prompts of which the first 80 % are the same, and the rest of each is its own. */
export function likePrompts(count: number): {
  readonly system: string;
  readonly questions: readonly string[];
} {
  const system = "You sort letters by what they are about, and say so in one word. ".repeat(9);
  const own = Math.round((system.length / 0.8) * 0.2);
  const questions = Array.from({ length: count }, (_, index) =>
    `${(index + 1) * 7_919} ${"about a matter of its own ".repeat(10)}`.slice(0, own),
  );
  return { system, questions };
}

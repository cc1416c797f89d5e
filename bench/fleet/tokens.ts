/** A typical sentence of an answer, with a comma in the middle and a full stop. */
const sentence =
  "The laptops of an office have little to do at night, and each of them could answer a question or two.".split(
    " ",
  );

/** The n-th token of an answer: a word with the space before it. */
export function token(n: number): string {
  return ` ${sentence[n % sentence.length] ?? ""}`;
}

/** As long as sentences of an answer are, with a mark in the middle and one at the end. */
const sentence =
  "The laptops of an office have little to do at night, and each of them could answer a question or two.".split(
    " ",
  );

/** The n-th token of an answer: a word with the space before it. */
export function token(n: number): string {
  return ` ${sentence[n % sentence.length] ?? ""}`;
}

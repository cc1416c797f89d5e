/** One benchmark of `npm run bench`. */
export type Bench = {
  /** One line for the list. */
  readonly summary: string;
  /** Measures; `say` is told what is going on. */
  readonly run: (
    rounds: number,
    say: (line: string) => void,
  ) => Promise<{ readonly json: object; readonly text: string }>;
};

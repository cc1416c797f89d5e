/** One benchmark of `npm run bench`. */
export type Bench = {
  /** One line for the usage text. */
  readonly summary: string;
  /** Measures, and reports progress to `say`. */
  readonly run: (
    rounds: number,
    say: (line: string) => void,
  ) => Promise<{ readonly json: object; readonly text: string }>;
};

/** A promise, and whether it was kept. */
export type Bar = {
  readonly text: string;
  readonly value: string;
  readonly met: boolean;
};

export function barLines(bars: readonly Bar[]): readonly string[] {
  return bars.map(({ text, value, met }) => `  ${met ? "met    " : "NOT MET"}  ${text}: ${value}`);
}

/** A bar, and whether it was met. */
export type Bar = {
  readonly text: string;
  readonly value: string;
  readonly met: boolean;
};

export function barLines(bars: readonly Bar[]): readonly string[] {
  return bars.map(({ text, value, met }) => `  ${met ? "met    " : "NOT MET"}  ${text}: ${value}`);
}

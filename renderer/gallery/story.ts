import type { ReactNode } from "react";

/** One state of one page or set of components, drawn from fixtures. Opened alone by `?story=ID&theme=dark`. */
export type Story = {
  readonly id: string;
  readonly group: "Components" | "Panel" | "Console";
  /** In CSS pixels, as the index frames it. */
  readonly size: readonly [width: number, height: number];
  readonly content: ReactNode;
};

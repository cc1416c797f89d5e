import type { ReactNode } from "react";

/** One state of a page or of some components, with fixtures. `?story=ID&theme=dark` shows only this story. */
export type Story = {
  readonly id: string;
  readonly group: "Components" | "Panel" | "Console";
  /** Size of its frame in the index, in CSS pixels. */
  readonly size: readonly [width: number, height: number];
  readonly content: ReactNode;
};

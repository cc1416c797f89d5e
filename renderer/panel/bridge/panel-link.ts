import type { PanelBridge } from "../../../app/contract/donor-calls.ts";

/** Whether the panel reaches its own donor program (not whether that one reaches the backend). */
export type LinkState = "connecting" | "open" | "lost";

/** The bridge, and what is known of the way to it. Whenever it opens (again), a fresh snapshot is due. */
export type PanelLink = {
  readonly bridge: PanelBridge;
  /** Calls back at once with the present state, then at each change; returns the unsubscriber. */
  readonly onLink: (listener: (state: LinkState) => void) => () => void;
};

import type { PanelBridge } from "../../../app/contract/donor-calls.ts";

/**
 * Whether the panel reaches its donor program. It says nothing about the backend. `refused`: the page has no valid token,
 * because it was opened at another address than the printed one, or the donor was restarted.
 */
export type LinkState = "connecting" | "open" | "lost" | "refused";

export type PanelLink = {
  readonly bridge: PanelBridge;
  /**
   * Calls the listener with the current state at once, then with each change. Returns the unsubscriber. Each time
   * the link opens, the panel needs a new snapshot.
   */
  readonly onLink: (listener: (state: LinkState) => void) => () => void;
};

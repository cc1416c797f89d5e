/** Parameters in the panel's address, which choose or mark its page. */
export const panelParameters = {
  /** The page for joining an organization. */
  setup: "setup",
  /** The program opened the page again after a crash. */
  restored: "restored",
  /** The tab, in the address's fragment. A fragment changes without a new page. */
  tab: "tab",
} as const;

/** The panel's tabs, in their order. */
export const panelTabs = ["now", "earnings", "history", "models", "why", "settings", "about"] as const;
export type PanelTab = (typeof panelTabs)[number];

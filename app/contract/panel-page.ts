/** Parameters in the panel's address, which choose or mark its page. */
export const panelParameters = {
  /** The page for joining an organization. */
  setup: "setup",
  /** The program opened the page again after a crash. */
  restored: "restored",
} as const;

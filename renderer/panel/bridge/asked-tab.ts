import { panelParameters, type PanelTab, panelTabs } from "../../../app/contract/panel-page.ts";

/**
 * The tab that the program asks for in the page's address. It leaves the address, so that the program may ask for it again. Null
 * if it asks for none.
 */
export function takeAskedTab(): PanelTab | null {
  const { hash, pathname, search } = window.location;
  const asked = new URLSearchParams(hash.slice(1)).get(panelParameters.tab);
  if (asked === null) return null;
  window.history.replaceState(null, "", pathname + search);
  return panelTabs.find((tab) => tab === asked) ?? null;
}

/** Calls back when the program asks for a tab. Returns the unsubscriber. */
export function onAskedTab(listener: (tab: PanelTab) => void): () => void {
  const look = (): void => {
    const tab = takeAskedTab();
    if (tab !== null) listener(tab);
  };
  window.addEventListener("hashchange", look);
  return () => window.removeEventListener("hashchange", look);
}

/** Has the page show this tab when it is loaded again. */
export function askForTab(tab: PanelTab): void {
  window.history.replaceState(null, "", `#${new URLSearchParams({ [panelParameters.tab]: tab }).toString()}`);
}

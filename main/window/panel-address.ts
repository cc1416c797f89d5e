import { panelParameters, type PanelTab } from "../../app/contract/panel-page.ts";

/**
 * The built panel has its own scheme, and so an origin that nothing else shares. The scheme `gleaner` is for links from outside.
 */
export const panelScheme = "gleaner-panel";
export const panelAddress = `${panelScheme}://panel/index.html`;

/** The panel's address, and whether another address belongs to the panel. */
export type PanelOrigin = {
  readonly address: string;
  readonly includes: (address: string) => boolean;
};

/**
 * A packaged program shows only the panel that was packaged with it, whatever the environment says, since others may
 * set that. Only a checkout may show the panel of a development server (Vite's).
 */
export function panelOrigin(packaged: boolean, developmentServer: string | undefined): PanelOrigin {
  const server = packaged ? undefined : developmentServer;
  return {
    address: server ?? panelAddress,
    includes: (address) => {
      try {
        const url = new URL(address);
        if (url.protocol === `${panelScheme}:`) return url.host === "panel";
        return server !== undefined && url.origin === new URL(server).origin;
      } catch {
        return false;
      }
    },
  };
}

/** A page of the panel with the mark that its program opened it again after a crash. */
export function restoredAddress(address: string): string {
  return withParameter(address, panelParameters.restored);
}

/** The address of the page for joining an organization. @param panel the panel's address */
export function setupAddress(panel: string): string {
  return withParameter(panel, panelParameters.setup);
}

/** A page of the panel at one of its tabs. An open page goes to the tab without loading again. */
export function tabAddress(address: string, tab: PanelTab): string {
  const url = new URL(address);
  url.hash = new URLSearchParams({ [panelParameters.tab]: tab }).toString();
  return url.href;
}

function withParameter(address: string, name: string): string {
  const url = new URL(address);
  url.searchParams.set(name, "1");
  return url.href;
}

/** Where the built panel is served from: a scheme of our own, so that it has an origin that nothing else has. */
export const panelScheme = "gleaner";
export const panelAddress = `${panelScheme}://panel/index.html`;

/** Where the window finds the panel, and whether an address is the panel's own. */
export type PanelPlace = {
  readonly address: string;
  readonly holds: (address: string) => boolean;
};

/**
 * The panel of a packaged program is the one that was packaged with it: the environment, which others may
 * set, cannot name another. Only from the sources does a development server (Vite's) stand in for it.
 */
export function panelPlace(packaged: boolean, developmentServer: string | undefined): PanelPlace {
  const server = packaged ? undefined : developmentServer;
  return {
    address: server ?? panelAddress,
    holds: (address) => {
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

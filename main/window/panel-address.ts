/** Where the built panel is served from: a scheme of our own, so that it has an origin that nothing else has. */
export const panelScheme = "gleaner";
export const panelOrigin = `${panelScheme}://panel`;
export const panelAddress = `${panelOrigin}/index.html`;

/** Whether a frame's address is the panel's. `developmentServer` is the origin of Vite's, never set in a release. */
export function isPanelAddress(
  address: string,
  developmentServer = process.env["ELECTRON_RENDERER_URL"],
): boolean {
  try {
    const url = new URL(address);
    if (url.protocol === `${panelScheme}:`) return url.host === "panel";
    return developmentServer !== undefined && url.origin === new URL(developmentServer).origin;
  } catch {
    return false;
  }
}

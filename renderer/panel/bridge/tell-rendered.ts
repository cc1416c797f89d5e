declare global {
  interface Window {
    /** Set by the desktop program's preload script. Absent in a browser. */
    readonly gleanerWindow?: { readonly rendered: () => void };
  }
}

/** Tells the desktop program that the page has its content, so that it shows the window. */
export function tellRendered(): void {
  window.gleanerWindow?.rendered();
}

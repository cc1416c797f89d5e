import type { Language } from "../../../app/format/languages.ts";

declare global {
  interface Window {
    /** Set by the desktop program's preload script. Absent in a browser. */
    readonly gleanerWindow?: {
      readonly rendered: () => void;
      readonly choseLanguage: (language: Language | null) => void;
    };
  }
}

/** Whether the page is the window of the desktop program. */
export function isProgramWindow(): boolean {
  return window.gleanerWindow !== undefined;
}

/** Tells the desktop program that the page has its content, so that it shows the window. */
export function tellRendered(): void {
  window.gleanerWindow?.rendered();
}

/** Tells the desktop program the language that its person chose here, so that its tray speaks it too. Null without a choice. */
export function tellLanguage(chosen: Language | null): void {
  window.gleanerWindow?.choseLanguage(chosen);
}

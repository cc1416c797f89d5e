import { BrowserWindow, nativeTheme } from "electron";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { sendDelta } from "../face/electron/ipc.ts";

export type PanelWindow = {
  readonly show: () => void;
  /** Shows another page of the panel, now or when the window is first shown. */
  readonly goTo: (address: string) => void;
  readonly send: (delta: Partial<DonorSnapshot>) => void;
  /** Closing the window only hides it from now on, so that the tray opens it again at once. */
  readonly keep: () => void;
  /** Closing the window closes it again, because the program is about to end. */
  readonly release: () => void;
};

type Options = { readonly address: string; readonly preload: string; readonly icon: string };

/** The panel's window. It is made when first shown. */
export function panelWindow({ address: first, preload, icon }: Options): PanelWindow {
  let window: BrowserWindow | null = null;
  let address = first;
  let isKept = false;

  const make = (): BrowserWindow => {
    const made = new BrowserWindow({
      width: 420,
      height: 640,
      minWidth: 340,
      minHeight: 420,
      show: false,
      title: "Gleaner",
      icon,
      autoHideMenuBar: true,
      backgroundColor: nativeTheme.shouldUseDarkColors ? "#151613" : "#f6f5f1",
      webPreferences: {
        preload,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
    });
    made.removeMenu();
    made.on("close", (event) => {
      if (!isKept) return;
      event.preventDefault();
      made.hide();
    });
    made.on("closed", () => {
      window = null;
    });
    void made.loadURL(address);
    return made;
  };

  return {
    show: () => {
      if (window === null) {
        const made = make();
        window = made;
        // Shown only after it has painted, to avoid a white flash.
        made.once("ready-to-show", () => made.show());
        return;
      }
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    goTo: (next) => {
      address = next;
      if (window !== null) void window.loadURL(address);
    },
    send: (delta) => {
      if (window !== null) sendDelta(window.webContents, delta);
    },
    keep: () => {
      isKept = true;
    },
    release: () => {
      isKept = false;
    },
  };
}

import { BrowserWindow, dialog, nativeTheme } from "electron";
import type { PanelTab } from "../../app/contract/panel-page.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { onceRendered, sendDelta } from "../face/electron/ipc.ts";
import type { Log } from "../log.ts";
import type { windowFailed } from "./failed-words.ts";
import { restoredAddress, tabAddress } from "./panel-address.ts";
import { reloadLimit } from "./reload-limit.ts";
import { allowZoom } from "./zoom.ts";

export type PanelWindow = {
  readonly show: () => void;
  /** Shows the window at a tab. A page without tabs stays as it is. */
  readonly showTab: (tab: PanelTab) => void;
  /** Shows another page of the panel, now or when the window is next shown. */
  readonly goTo: (address: string) => void;
  readonly send: (delta: Partial<DonorSnapshot>) => void;
};

type Options = {
  readonly address: string;
  readonly preload: string;
  readonly icon: string;
  /** The dialog that takes the place of a window that keeps crashing. */
  readonly failedWords: typeof windowFailed;
  readonly log: Log;
};

/**
 * The panel's window. It is made when shown, and destroyed when closed, so that the tray's program stays small. A page that
 * crashes is loaded again. If it keeps crashing, a message takes its place until somebody opens the window again.
 */
export function panelWindow({ address: first, preload, icon, failedWords, log }: Options): PanelWindow {
  let window: BrowserWindow | null = null;
  let address = first;
  const mayReload = reloadLimit();

  const make = (at: string): BrowserWindow => {
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
    allowZoom(made.webContents);
    made.on("closed", () => {
      if (window === made) window = null;
    });
    made.webContents.on("render-process-gone", (_event, { reason }) => {
      if (reason === "clean-exit") return;
      log("error", "window.crashed", { reason });
      // Electron is still cleaning up after the process.
      setImmediate(() => recover(made));
    });
    void load(made, at);
    return made;
  };

  const recover = (crashed: BrowserWindow): void => {
    if (crashed.isDestroyed()) return;
    if (mayReload(Date.now())) {
      void load(crashed, restoredAddress(address));
      return;
    }
    log("error", "window.given-up");
    if (window === crashed) window = null;
    crashed.hide();
    // Before the tray exists, the program ends with its window.
    void dialog.showMessageBox({ type: "error", title: "Gleaner", ...failedWords() }).finally(() => {
      if (!crashed.isDestroyed()) crashed.destroy();
    });
  };

  const showNew = (at: string): void => {
    window = make(at);
    showWithContent(window);
  };

  return {
    show: () => {
      if (window === null) showNew(address);
      else focus(window);
    },
    showTab: (tab) => {
      const at = tabAddress(address, tab);
      if (window === null) showNew(at);
      else {
        void load(window, at);
        focus(window);
      }
    },
    goTo: (next) => {
      address = next;
      if (window !== null) void load(window, address);
    },
    send: (delta) => {
      if (window !== null) sendDelta(window.webContents, delta);
    },
  };
}

function focus(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** A page that cannot tell that it has its content is shown after this time. */
const showAfterMs = 3_000;

/** An empty window would flash. */
function showWithContent(made: BrowserWindow): void {
  const show = (): void => {
    clearTimeout(timer);
    if (!made.isDestroyed()) made.show();
  };
  const timer = setTimeout(show, showAfterMs);
  onceRendered(made.webContents, show);
}

/** Rejects if another load or the end of the window overtakes this one. */
function load(window: BrowserWindow, address: string): Promise<void> {
  return window.loadURL(address).catch(() => undefined);
}

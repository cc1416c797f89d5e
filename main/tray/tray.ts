import { join } from "node:path";
import { Menu, type MenuItemConstructorOptions, type NativeImage, nativeImage, Tray } from "electron";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import type { TrayAction, TrayEntry, trayMenu } from "./tray-menu.ts";
import { type traySentence, type TrayState, trayState } from "./tray-state.ts";

type DonorTray = {
  readonly update: (snapshot: DonorSnapshot) => void;
  readonly destroy: () => void;
};

type Options = {
  /** The folder of the tray's images. */
  readonly icons: string;
  readonly platform: NodeJS.Platform;
  /** What it says, in the language of its person. */
  readonly text: () => {
    readonly trayMenu: typeof trayMenu;
    readonly traySentence: typeof traySentence;
  };
  readonly onAction: (action: TrayAction) => void;
};

/** Keeps the tray icon in step with the snapshot. Rebuilds the menu only if its text changes. */
export function donorTray({ icons, platform, text, onAction }: Options): DonorTray {
  const tray = new Tray(image(icons, "standby", platform));
  let shownState: TrayState | null = null;
  let shownMenu = "";
  tray.on("click", () => {
    // On macOS a click opens the menu without our help.
    if (platform !== "darwin") onAction({ kind: "open", tab: null });
  });
  return {
    update: (snapshot) => {
      const state = trayState(snapshot);
      if (state !== shownState) tray.setImage(image(icons, state, platform));
      shownState = state;
      const now = Date.now();
      tray.setToolTip(text().traySentence(snapshot, now));
      const entries = text().trayMenu(snapshot, now);
      const menu = JSON.stringify(entries);
      if (menu !== shownMenu) tray.setContextMenu(Menu.buildFromTemplate(template(entries, onAction)));
      shownMenu = menu;
    },
    destroy: () => tray.destroy(),
  };
}

function image(icons: string, state: TrayState, platform: NodeJS.Platform): NativeImage {
  // macOS colors template images itself, for its light and its dark menu bar.
  const name =
    platform === "darwin" ? `${state}Template.png` : platform === "win32" ? `${state}.ico` : `${state}.png`;
  const found = nativeImage.createFromPath(join(icons, name));
  if (platform === "darwin") found.setTemplateImage(true);
  return found;
}

function template(
  entries: readonly TrayEntry[],
  onAction: (action: TrayAction) => void,
): MenuItemConstructorOptions[] {
  return entries.map((entry): MenuItemConstructorOptions => {
    switch (entry.kind) {
      case "text":
        return { label: entry.label, enabled: false };
      case "separator":
        return { type: "separator" };
      case "submenu":
        return { label: entry.label, submenu: template(entry.entries, onAction) };
      case "action":
        return { label: entry.label, click: () => onAction(entry.action) };
    }
  });
}

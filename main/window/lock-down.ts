import type { App, Session } from "electron";
import type { PanelOrigin } from "./panel-address.ts";

/** Pages in a window may not navigate, open or embed anything, or ask for a permission. */
export function lockDown(app: App, session: Session, panel: PanelOrigin): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  app.on("web-contents-created", (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: "deny" }));
    contents.on("will-navigate", (event) => {
      if (!panel.includes(event.url)) event.preventDefault();
    });
    contents.on("will-frame-navigate", (event) => {
      if (!event.isMainFrame) event.preventDefault();
    });
    contents.on("will-attach-webview", (event) => event.preventDefault());
  });
}

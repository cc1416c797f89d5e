import type { PanelBridge } from "../../../app/contract/donor-calls.ts";
import type { PanelLink } from "./panel-link.ts";
import { connectWebSocketLink } from "./web-socket-link.ts";

declare global {
  interface Window {
    /** Put there by the desktop program's preload; absent in a browser. */
    readonly gleaner?: PanelBridge;
  }
}

/** The preload's bridge inside the desktop program, else a WebSocket to the headless donor that served this page. */
export function findLink(): PanelLink {
  const bridge = window.gleaner;
  if (bridge === undefined) return connectWebSocketLink(window.location);
  return {
    bridge,
    onLink: (listener) => {
      listener("open");
      return () => undefined;
    },
  };
}

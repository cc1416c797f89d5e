import { ipcMain, type WebContents, type WebFrameMain } from "electron";
import { channels, type PanelHandlers, type Reply } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { callPanel } from "../answer-call.ts";
import type { PanelPlace } from "../../window/panel-address.ts";

/** The only file that touches ipcMain. Answers the panel's calls; any other sender is refused. */
export function servePanelCalls(handlers: PanelHandlers, panel: PanelPlace): void {
  ipcMain.handle(channels.call, (event, name: unknown, argument: unknown): Promise<Reply<unknown>> => {
    if (!isTrusted(event.senderFrame, panel)) {
      return Promise.resolve({ kind: "refused", message: "Only Gleaner's own window may ask that." });
    }
    return callPanel(handlers, name, argument);
  });
}

export function sendDelta(to: WebContents, delta: Partial<DonorSnapshot>): void {
  if (!to.isDestroyed()) to.send(channels.delta, delta);
}

// The panel's own top frame alone: not a frame inside it, not one that is being torn down.
function isTrusted(frame: WebFrameMain | null, panel: PanelPlace): boolean {
  return frame !== null && frame.parent === null && panel.holds(frame.url);
}

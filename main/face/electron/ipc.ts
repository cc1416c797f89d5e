import { ipcMain, type WebContents, type WebFrameMain } from "electron";
import { channels, refused, type Reply } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { AnswerCall } from "../answer-call.ts";

/**
 * The only file that uses ipcMain. Answers the calls of the panel's pages, and refuses all other senders. Returns a function that
 * sets what answers from now on.
 */
export function servePanelCalls(panel: {
  readonly includes: (address: string) => boolean;
}): (answer: AnswerCall) => void {
  let answer: AnswerCall = () => Promise.resolve(refused("Gleaner is starting. Try again."));
  ipcMain.handle(channels.call, (event, name: unknown, argument: unknown): Promise<Reply<unknown>> => {
    if (isPanel(event.senderFrame)) return answer(name, argument);
    return Promise.resolve(refused("Only Gleaner's own window may ask that."));
  });
  // Accepts only the top frame, not a nested one or one that is being destroyed.
  const isPanel = (frame: WebFrameMain | null): boolean =>
    frame !== null && frame.parent === null && panel.includes(frame.url);
  return (next) => {
    answer = next;
  };
}

export function sendDelta(to: WebContents, delta: Partial<DonorSnapshot>): void {
  if (!to.isDestroyed()) to.send(channels.delta, delta);
}

/** Calls back once, when the page of these contents has rendered its content. */
export function onceRendered(contents: WebContents, listener: () => void): void {
  contents.ipc.once(channels.rendered, listener);
}

import { ipcMain, type WebContents, type WebFrameMain } from "electron";
import { channels, refused, refusedFor, type Reply } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { isLanguage, type Language } from "../../../app/format/languages.ts";
import type { AnswerCall } from "../answer-call.ts";

type Panel = { readonly includes: (address: string) => boolean };

/**
 * The only file that uses ipcMain. Answers the calls of the panel's pages, and refuses all other senders. Returns a function that
 * sets what answers from now on.
 */
export function servePanelCalls(panel: Panel): (answer: AnswerCall) => void {
  let answer: AnswerCall = () => Promise.resolve(refusedFor("starting"));
  ipcMain.handle(channels.call, (event, name: unknown, argument: unknown): Promise<Reply<unknown>> => {
    if (isPage(panel, event.senderFrame)) return answer(name, argument);
    return Promise.resolve(refused("Only Gleaner's own window may ask that."));
  });
  return (next) => {
    answer = next;
  };
}

/** Calls back with the language that a person chose in one of the panel's pages, at each start of a page. Null: no choice. */
export function onChosenLanguage(panel: Panel, listener: (chosen: Language | null) => void): void {
  ipcMain.on(channels.language, (event, chosen: unknown) => {
    if (!isPage(panel, event.senderFrame)) return;
    if (chosen === null || isLanguage(chosen)) listener(chosen);
  });
}

/** Accepts only the top frame, not a nested one or one that is being destroyed. */
function isPage(panel: Panel, frame: WebFrameMain | null): boolean {
  return frame !== null && frame.parent === null && panel.includes(frame.url);
}

export function sendDelta(to: WebContents, delta: Partial<DonorSnapshot>): void {
  if (!to.isDestroyed()) to.send(channels.delta, delta);
}

/** Calls back once, when the page of these contents has rendered its content. */
export function onceRendered(contents: WebContents, listener: () => void): void {
  contents.ipc.once(channels.rendered, listener);
}

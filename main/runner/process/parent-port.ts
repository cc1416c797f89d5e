import type { FromRunner } from "../../../app/contract/runner.ts";

/** The channel to the donor: Node's IPC, or Electron's port. */
export type ParentPort = {
  readonly send: (message: FromRunner) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  readonly onClosed: (listener: () => void) => void;
};

/** The used part of Electron's `process.parentPort`. Declared here, because this file must load without Electron. */
type ElectronPort = {
  postMessage(message: unknown): void;
  on(event: "message", listener: (event: { readonly data: unknown }) => void): void;
};

/** Null if no donor started this process. */
export function findParentPort(): ParentPort | null {
  const electron = (process as { parentPort?: ElectronPort }).parentPort;
  if (electron !== undefined) {
    return {
      send: (message) => electron.postMessage(message),
      onMessage: (listener) => electron.on("message", (event) => listener(event.data)),
      // Electron ends its utility processes when it exits.
      onClosed: () => undefined,
    };
  }
  if (process.send === undefined) return null;
  return {
    send: (message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
    },
    onMessage: (listener) => void process.on("message", listener),
    onClosed: (listener) => void process.on("disconnect", listener),
  };
}

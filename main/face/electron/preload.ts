import { contextBridge, ipcRenderer } from "electron";
import { channels, clientOf, type PanelBridge } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";

/** The only file that uses ipcRenderer. Pages see only the contract's functions, and nothing of Electron. */
const call = (name: string, argument: unknown): Promise<unknown> =>
  ipcRenderer.invoke(channels.call, name, argument);

const bridge: PanelBridge = {
  ...clientOf("panel", call),
  onDelta: (listener) => {
    // The event stays here: it would give the page access to the sender.
    const forward = (_event: unknown, delta: Partial<DonorSnapshot>): void => listener(delta);
    ipcRenderer.on(channels.delta, forward);
    return () => {
      ipcRenderer.off(channels.delta, forward);
    };
  },
};

contextBridge.exposeInMainWorld("gleaner", bridge);
contextBridge.exposeInMainWorld("gleanerWindow", {
  rendered: () => ipcRenderer.send(channels.rendered),
  choseLanguage: (language: unknown) => ipcRenderer.send(channels.language, language),
});
contextBridge.exposeInMainWorld("gleanerSetup", clientOf("setup", call));

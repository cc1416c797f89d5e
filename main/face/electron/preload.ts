import { contextBridge, ipcRenderer } from "electron";
import { calls, channels, type PanelBridge } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";

/** The only file that touches ipcRenderer. The panel sees the contract's functions, and nothing of Electron. */
const functions = Object.keys(calls).map((name) => [
  name,
  (argument: unknown): Promise<unknown> => ipcRenderer.invoke(channels.call, name, argument),
]);

const bridge = {
  ...Object.fromEntries(functions),
  onDelta: (listener: (delta: Partial<DonorSnapshot>) => void) => {
    // The event itself stays here: it would hand the page a way to the sender.
    const forward = (_event: unknown, delta: Partial<DonorSnapshot>): void => listener(delta);
    ipcRenderer.on(channels.delta, forward);
    return () => {
      ipcRenderer.off(channels.delta, forward);
    };
  },
} as PanelBridge;

contextBridge.exposeInMainWorld("gleaner", bridge);

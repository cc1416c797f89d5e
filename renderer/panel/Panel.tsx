import { type ReactNode, useSyncExternalStore } from "react";
import type { PanelBridge } from "../../app/contract/donor-calls.ts";
import { ToastProvider } from "../ui/overlays/Toast.tsx";
import { TooltipProvider } from "../ui/overlays/Tooltip.tsx";
import { PanelView } from "./PanelView.tsx";
import { Bridge } from "./state/actions.ts";
import type { PanelStore } from "./state/panel-store.ts";

export function Panel({
  bridge,
  store,
}: {
  readonly bridge: PanelBridge;
  readonly store: PanelStore;
}): ReactNode {
  const state = useSyncExternalStore(store.subscribe, store.get);
  return (
    <Bridge value={bridge}>
      <TooltipProvider>
        <ToastProvider>
          <PanelView state={state} />
        </ToastProvider>
      </TooltipProvider>
    </Bridge>
  );
}

import "../ui/tokens.css";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import type { PanelBridge } from "../../app/contract/donor-calls.ts";
import { panelParameters } from "../../app/contract/panel-page.ts";
import { ToastProvider } from "../ui/overlays/Toast.tsx";
import { TooltipProvider } from "../ui/overlays/Tooltip.tsx";
import { onAskedTab, takeAskedTab } from "./bridge/asked-tab.ts";
import { findLink } from "./bridge/find-link.ts";
import { tellRendered } from "./bridge/tell-program.ts";
import { FirstRun } from "./first-run/FirstRun.tsx";
import { PanelView } from "./PanelView.tsx";
import { Bridge } from "./state/actions.ts";
import { createPanelStore, type PanelStore } from "./state/panel-store.ts";

type Props = { readonly bridge: PanelBridge; readonly store: PanelStore };

function Panel({ bridge, store }: Props): ReactNode {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const hasContent = state.snapshot !== null || state.problem !== null;
  useEffect(() => {
    if (hasContent) tellRendered();
  }, [hasContent]);
  return (
    <Bridge value={bridge}>
      <TooltipProvider>
        <ToastProvider>
          <PanelView state={state} initialTab={initialTab} onAskedTab={onAskedTab} restored={restored} />
        </ToastProvider>
      </TooltipProvider>
    </Bridge>
  );
}

const parameters = new URLSearchParams(window.location.search);
const restored = parameters.has(panelParameters.restored);
const initialTab = takeAskedTab() ?? "now";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
const setup = window.gleanerSetup;
if (setup !== undefined && parameters.has(panelParameters.setup)) {
  createRoot(root).render(<FirstRun bridge={setup} />);
} else {
  const link = findLink();
  createRoot(root).render(<Panel bridge={link.bridge} store={createPanelStore(link)} />);
}

import "../ui/tokens.css";
import { createRoot } from "react-dom/client";
import { findLink } from "./bridge/find-link.ts";
import { Panel } from "./Panel.tsx";
import { createPanelStore } from "./state/panel-store.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
const link = findLink();
createRoot(root).render(<Panel bridge={link.bridge} store={createPanelStore(link)} />);

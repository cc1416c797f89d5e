import "../ui/tokens.css";
import { ConvexReactClient } from "convex/react";
import { createRoot } from "react-dom/client";
import { Console } from "./Console.tsx";
import { findDeployment } from "./data/find-deployment.ts";
import { sessionStore } from "./session/session-store.ts";
import { signIn, takeSignInToken } from "./session/sign-in.ts";
import { FullPage } from "./shell/FullPage.tsx";
import { Unreachable } from "./shell/Unreachable.tsx";

const element = document.getElementById("root");
if (element === null) throw new Error("the page has no #root");
const root = createRoot(element);

async function boot(): Promise<void> {
  const token = takeSignInToken(window);
  root.render(<FullPage title="Connecting…" />);
  const found = await findDeployment(window.location, window.fetch.bind(window));
  if (found.kind === "failed") {
    root.render(<Unreachable message={found.message} onRetry={() => window.location.reload()} />);
    return;
  }
  const { url, apiBase } = found.deployment;
  const client = new ConvexReactClient(url, { skipConvexDeploymentUrlCheck: true });
  const store = sessionStore(window.localStorage, url);
  const refused = token === null ? null : await signIn(client, store, token);
  // A refused link does not end a session that is still valid.
  root.render(<Console client={client} apiBase={apiBase} store={store} initialReason={refused ?? "new"} />);
}

window.addEventListener("hashchange", () => {
  // Opening a sign-in link in a tab that shows the console changes only the hash.
  if (window.location.hash.startsWith("#signin=")) window.location.reload();
});
void boot();

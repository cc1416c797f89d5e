import "../ui/tokens.css";
import { ConvexReactClient } from "convex/react";
import { createRoot } from "react-dom/client";
import { readJoinHash } from "../../app/join-link.ts";
import { Console } from "./Console.tsx";
import { findDeployment, findOwnDeployment } from "./data/find-deployment.ts";
import { Invitation } from "./session/Invitation.tsx";
import { JoinPage } from "./session/JoinPage.tsx";
import { sessionStore } from "./session/session-store.ts";
import { signIn, type SignInAnswer, takeLinkToken } from "./session/sign-in.ts";
import type { SignedOutReason } from "./session/SignedOut.tsx";
import { finishSingleSignOn, ssoAnswer } from "./session/single-sign-on.ts";
import { StillSigningIn } from "./session/StillSigningIn.tsx";
import { FullPage } from "./shell/FullPage.tsx";
import { Unreachable } from "./shell/Unreachable.tsx";

const element = document.getElementById("root");
if (element === null) throw new Error("the page has no #root");
const root = createRoot(element);

function reasonOf(outcome: SignInAnswer | null): SignedOutReason {
  return outcome?.kind === "refused" ? { refused: outcome.why } : "new";
}

async function boot(): Promise<void> {
  const token = takeLinkToken(window, "signin");
  const invitation = takeLinkToken(window, "invite");
  const answer = ssoAnswer(window.location.hash);
  const joining = readJoinHash(window.location.hash);
  root.render(<FullPage title="Connecting…" />);
  const found = await (joining === null ? findDeployment : findOwnDeployment)(
    window.location,
    window.fetch.bind(window),
  );
  if (found.kind === "failed") {
    root.render(<Unreachable message={found.message} onRetry={() => window.location.reload()} />);
    return;
  }
  const { url, apiBase } = found.deployment;
  if (joining !== null) {
    root.render(<JoinPage invitation={joining} url={url} />);
    return;
  }
  const client = new ConvexReactClient(url, { skipConvexDeploymentUrlCheck: true });
  const store = sessionStore(window.localStorage, url);
  // A link that is late or refused does not end a session that is still valid.
  const show = (reason: SignedOutReason, waiting: string | null = null): void =>
    root.render(
      <Console
        client={client}
        apiBase={apiBase}
        store={store}
        initialReason={reason}
        initialWaiting={waiting}
      />,
    );
  const showAnswer = (given: SignInAnswer | null): void =>
    show(reasonOf(given), given?.kind === "second-factor" ? given.session : null);
  if (invitation !== null) {
    root.render(<Invitation client={client} store={store} token={invitation} onDone={() => show("new")} />);
    return;
  }
  if (answer !== null) {
    showAnswer(await finishSingleSignOn(client, store, window, answer));
    return;
  }
  const hadSession = store.load() !== null;
  const outcome = token === null ? null : await signIn(client, store, token);
  if (outcome?.kind !== "late") {
    showAnswer(outcome);
    return;
  }
  if (hadSession) {
    show("new");
    return;
  }
  root.render(<StillSigningIn />);
  showAnswer(await outcome.answer);
}

window.addEventListener("hashchange", () => {
  // Opening a link in a tab that shows the console changes only the hash.
  if (/^#(signin|invite|join)=/.test(window.location.hash)) window.location.reload();
});
void boot();

import { useConvexConnectionState, useMutation, useQuery } from "convex/react";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { assertNever } from "../../app/assert-never.ts";
import { useEveryMs } from "../../app/people/idle.ts";
import { scopeOf } from "../../app/people/rights.ts";
import type { Role } from "../../app/people/roles.ts";
import { api } from "../../convex/_generated/api.js";
import { useNow } from "../ui/clock.ts";
import { AccountPage } from "./account/AccountPage.tsx";
import { AuditPage } from "./audit/AuditPage.tsx";
import type { SessionRow } from "./data/rows.ts";
import { Me, useSession } from "./data/session-context.ts";
import { DevicesPage } from "./devices/DevicesPage.tsx";
import { CodesPage } from "./enrollment/CodesPage.tsx";
import { JobsPage } from "./jobs/JobsPage.tsx";
import { KeysPage } from "./keys/KeysPage.tsx";
import { ModelsPage } from "./models/ModelsPage.tsx";
import { OverviewPage } from "./overview/OverviewPage.tsx";
import { PeoplePage } from "./people/PeoplePage.tsx";
import { PlaygroundPage } from "./playground/PlaygroundPage.tsx";
import { PolicyPage } from "./policy/PolicyPage.tsx";
import { QueuePage } from "./queue/QueuePage.tsx";
import { PageErrors } from "./shell/PageErrors.tsx";
import { firstPage, type PageId, pages, pagesFor } from "./shell/pages.ts";
import { useRoute } from "./shell/route.ts";
import { type Connection, Shell } from "./shell/Shell.tsx";
import { SignInSettingsPage } from "./sign-in/SignInSettingsPage.tsx";
import { StatisticsPage } from "./statistics/StatisticsPage.tsx";

const none: readonly Role[] = [];

type Props = { readonly apiBase: string; readonly onEnd: (why: "expired" | "signed-out") => void };

export function SignedIn({ apiBase, onEnd }: Props): ReactNode {
  const session = useSession();
  const me = useQuery(api.console.account.me, { session });
  const roles = me?.member.roles ?? none;
  const seesEnrollment = scopeOf("enrollment.read", roles) !== null;
  const pending = useQuery(api.console.devices.pending, seesEnrollment ? { session } : "skip") ?? [];
  const signOut = useMutation(api.console.account.signOut);
  const connection = useConnection();
  const route = useRoute();
  const now = useNow();
  const onExpired = useCallback(() => onEnd("expired"), [onEnd]);
  const ended = me === null || (me !== undefined && me.expiresAt <= now);
  useEffect(() => {
    if (ended) onExpired();
  }, [ended, onExpired]);
  useNotedUse(session);
  if (ended) return null;
  const leave = (): void => {
    // Not awaited: signing out must work while the server is unreachable too.
    void signOut({ session }).catch(() => undefined);
    onEnd("signed-out");
  };
  const visible = pagesFor(roles);
  // Until the member is known, the address decides.
  const shown = me === undefined ? route.page : visible.find(({ id }) => id === route.page)?.id;
  const page = shown ?? firstPage(visible);
  return (
    <Shell
      page={page}
      pages={me === undefined ? pages : visible}
      organization={me?.organization.name ?? null}
      member={me?.member.name ?? null}
      connection={connection}
      pending={pending.length}
      onSignOut={leave}
    >
      <PageErrors key={page} onExpired={onExpired}>
        {me === undefined ? null : (
          <Me value={me.member}>
            <Page page={page} apiBase={apiBase} sessionId={me.sessionId} onSignOut={leave} />
          </Me>
        )}
      </PageErrors>
    </Shell>
  );
}

const graceMs = 2_000;

/** The connection to the backend. Interruptions below two seconds are not shown. */
function useConnection(): Connection {
  const { isWebSocketConnected, hasEverConnected } = useConvexConnectionState();
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(!isWebSocketConnected), isWebSocketConnected ? 0 : graceMs);
    return () => clearTimeout(timer);
  }, [isWebSocketConnected]);
  if (isWebSocketConnected) return "live";
  if (late) return "lost";
  return hasEverConnected ? "live" : "connecting";
}

/** Tells the server every few minutes that the session is used, while the page is visible: an idle session ends. */
function useNotedUse(session: string): void {
  const noteUse = useMutation(api.console.account.use);
  useEffect(() => {
    const note = (): void => {
      // A session that has ended is noticed by the query about it.
      if (document.visibilityState === "visible") void noteUse({ session }).catch(() => undefined);
    };
    note();
    const timer = setInterval(note, useEveryMs);
    document.addEventListener("visibilitychange", note);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", note);
    };
  }, [session, noteUse]);
}

type PageProps = {
  readonly page: PageId;
  readonly apiBase: string;
  readonly sessionId: SessionRow["sessionId"];
  readonly onSignOut: () => void;
};

function Page({ page, apiBase, sessionId, onSignOut }: PageProps): ReactNode {
  switch (page) {
    case "overview":
      return <OverviewPage />;
    case "devices":
      return <DevicesPage />;
    case "policy":
      return <PolicyPage />;
    case "models":
      return <ModelsPage />;
    case "playground":
      return <PlaygroundPage apiBase={apiBase} />;
    case "jobs":
      return <JobsPage />;
    case "queue":
      return <QueuePage />;
    case "statistics":
      return <StatisticsPage apiBase={apiBase} />;
    case "keys":
      return <KeysPage apiBase={apiBase} />;
    case "codes":
      return <CodesPage />;
    case "people":
      return <PeoplePage />;
    case "sign-in":
      return <SignInSettingsPage />;
    case "audit":
      return <AuditPage />;
    case "account":
      return <AccountPage sessionId={sessionId} onSignOut={onSignOut} />;
    default:
      return assertNever(page);
  }
}

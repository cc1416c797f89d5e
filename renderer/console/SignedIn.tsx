import { useMutation, useQuery } from "convex/react";
import { type ReactNode, useEffect } from "react";
import { assertNever } from "../../app/assert-never.ts";
import { api } from "../../convex/_generated/api.js";
import { useNow } from "../ui/clock.ts";
import { Button } from "../ui/controls/Button.tsx";
import { Empty } from "../ui/Empty.tsx";
import { ErrorBoundary } from "../ui/ErrorBoundary.tsx";
import { AuditPage } from "./audit/AuditPage.tsx";
import { messageOf, refusalOf } from "./data/refusal.ts";
import { useSession } from "./data/session-context.ts";
import { DevicesPage } from "./devices/DevicesPage.tsx";
import { CodesPage } from "./enrollment/CodesPage.tsx";
import { JobsPage } from "./jobs/JobsPage.tsx";
import { KeysPage } from "./keys/KeysPage.tsx";
import { ModelsPage } from "./models/ModelsPage.tsx";
import { OverviewPage } from "./overview/OverviewPage.tsx";
import { PolicyPage } from "./policy/PolicyPage.tsx";
import { QueuePage } from "./queue/QueuePage.tsx";
import { useConnectionLine } from "./shell/connection-line.ts";
import { type PageId, usePage } from "./shell/pages.ts";
import { Shell } from "./shell/Shell.tsx";

type Props = { readonly apiBase: string; readonly onEnd: (why: "expired" | "signed-out") => void };

export function SignedIn({ apiBase, onEnd }: Props): ReactNode {
  const session = useSession();
  const me = useQuery(api.admin.me, { session });
  const signOut = useMutation(api.admin.signOut);
  const line = useConnectionLine();
  const page = usePage();
  const now = useNow();
  const ended = me === null || (me !== undefined && me.expiresAt <= now);
  useEffect(() => {
    if (ended) onEnd("expired");
  }, [ended, onEnd]);
  if (ended) return null;
  return (
    <Shell
      page={page}
      organization={me?.organization.name ?? null}
      line={line}
      onSignOut={() => {
        // Not awaited: signing out must work while the server is unreachable too.
        void signOut({ session }).catch(() => undefined);
        onEnd("signed-out");
      }}
    >
      <ErrorBoundary
        key={page}
        fallback={(error, retry) => <Failed error={error} retry={retry} onEnd={onEnd} />}
      >
        <Page page={page} apiBase={apiBase} />
      </ErrorBoundary>
    </Shell>
  );
}

function Page({ page, apiBase }: { readonly page: PageId; readonly apiBase: string }): ReactNode {
  switch (page) {
    case "overview":
      return <OverviewPage />;
    case "devices":
      return <DevicesPage />;
    case "policy":
      return <PolicyPage />;
    case "models":
      return <ModelsPage />;
    case "jobs":
      return <JobsPage />;
    case "queue":
      return <QueuePage />;
    case "keys":
      return <KeysPage apiBase={apiBase} />;
    case "codes":
      return <CodesPage />;
    case "audit":
      return <AuditPage />;
    default:
      return assertNever(page);
  }
}

type FailedProps = Pick<Props, "onEnd"> & { readonly error: unknown; readonly retry: () => void };

function Failed({ error, retry, onEnd }: FailedProps): ReactNode {
  const expired = refusalOf(error)?.code === "unauthorized";
  useEffect(() => {
    if (expired) onEnd("expired");
  }, [expired, onEnd]);
  return (
    <Empty title="This page could not be shown" action={<Button onClick={retry}>Try again</Button>}>
      {messageOf(error)}
    </Empty>
  );
}

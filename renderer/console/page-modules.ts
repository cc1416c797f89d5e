import { type ComponentType, useEffect, useState } from "react";
import type { SessionRow } from "./data/rows.ts";
import { PageNotFetched } from "./shell/page-not-fetched.ts";
import type { PageId } from "./shell/pages.ts";

/** Every page gets these; most need none of them. */
export type PageProps = {
  readonly apiBase: string;
  /** The session of this browser. */
  readonly sessionId: SessionRow["sessionId"];
  readonly onSignOut: () => void;
};
type PageComponent = ComponentType<PageProps>;

/** Fetches a page's code. The first page that somebody opens does not wait for the code of the others. */
const modules: Readonly<Record<PageId, () => Promise<PageComponent>>> = {
  overview: async () => (await import("./overview/OverviewPage.tsx")).OverviewPage,
  devices: async () => (await import("./devices/DevicesPage.tsx")).DevicesPage,
  policy: async () => (await import("./policy/PolicyPage.tsx")).PolicyPage,
  checks: async () => (await import("./checks/ChecksPage.tsx")).ChecksPage,
  models: async () => (await import("./models/ModelsPage.tsx")).ModelsPage,
  playground: async () => (await import("./playground/PlaygroundPage.tsx")).PlaygroundPage,
  jobs: async () => (await import("./jobs/JobsPage.tsx")).JobsPage,
  batches: async () => (await import("./batches/BatchesPage.tsx")).BatchesPage,
  disputes: async () => (await import("./ratings/DisputesPage.tsx")).DisputesPage,
  queue: async () => (await import("./queue/QueuePage.tsx")).QueuePage,
  statistics: async () => (await import("./statistics/StatisticsPage.tsx")).StatisticsPage,
  usage: async () => (await import("./usage/UsagePage.tsx")).UsagePage,
  earnings: async () => (await import("./earnings/EarningsPage.tsx")).EarningsPage,
  credits: async () => (await import("./credits/CreditsPage.tsx")).CreditsPage,
  keys: async () => (await import("./keys/KeysPage.tsx")).KeysPage,
  codes: async () => (await import("./enrollment/CodesPage.tsx")).CodesPage,
  people: async () => (await import("./people/PeoplePage.tsx")).PeoplePage,
  "sign-in": async () => (await import("./sign-in/SignInSettingsPage.tsx")).SignInSettingsPage,
  alerts: async () => (await import("./alerts/AlertsPage.tsx")).AlertsPage,
  webhooks: async () => (await import("./webhooks/WebhooksPage.tsx")).WebhooksPage,
  audit: async () => (await import("./audit/AuditPage.tsx")).AuditPage,
  archives: async () => (await import("./archives/ArchivesPage.tsx")).ArchivesPage,
  account: async () => (await import("./account/AccountPage.tsx")).AccountPage,
};

const fetched = new Map<PageId, PageComponent>();

/** Fetches a page's code ahead. A failure is reported when the page is opened. */
export function preloadPage(page: PageId): void {
  void fetchPage(page).catch(() => undefined);
}

async function fetchPage(page: PageId): Promise<void> {
  if (!fetched.has(page)) fetched.set(page, await modules[page]());
}

/** A page's component. Null until its code is there. */
export function usePage(page: PageId): PageComponent | null {
  const [, setArrived] = useState<PageId | null>(null);
  const [failed, setFailed] = useState<PageNotFetched | null>(null);
  useEffect(() => {
    let isCurrent = true;
    fetchPage(page).then(
      () => isCurrent && setArrived(page),
      (cause: unknown) => isCurrent && setFailed(new PageNotFetched(page, { cause })),
    );
    return () => {
      isCurrent = false;
    };
  }, [page]);
  if (failed !== null) throw failed;
  return fetched.get(page) ?? null;
}

import { type Right, scopeOf } from "../../../app/people/rights.ts";
import type { Role } from "../../../app/people/roles.ts";

type Entry = {
  readonly id: string;
  readonly label: string;
  /** The label for a member who sees only what belongs to them. */
  readonly own?: string;
  readonly right: Right;
};

/**
 * The console's pages, in the order of the navigation. Members see those that they have the right for. The member's name
 * leads to the account.
 */
export const pages = [
  { id: "overview", label: "Overview", right: "overview.read" },
  { id: "devices", label: "Devices", own: "My devices", right: "devices.read" },
  { id: "policy", label: "Policy", right: "policy.read" },
  { id: "checks", label: "Checks", right: "checks.read" },
  { id: "models", label: "Models", right: "models.read" },
  { id: "playground", label: "Playground", right: "playground.use" },
  { id: "jobs", label: "Jobs", own: "My jobs", right: "jobs.read" },
  { id: "batches", label: "Batches", own: "My batches", right: "jobs.read" },
  { id: "disputes", label: "Disputes", right: "disputes.read" },
  { id: "queue", label: "Queue", right: "queue.read" },
  { id: "statistics", label: "Statistics", right: "statistics.read" },
  { id: "usage", label: "Usage", own: "My usage", right: "usage.read" },
  { id: "earnings", label: "Earnings", own: "My earnings", right: "earnings.read" },
  { id: "credits", label: "My credits", right: "credits.read" },
  { id: "keys", label: "API keys", own: "My keys", right: "keys.read" },
  { id: "codes", label: "Enrollment codes", right: "enrollment.read" },
  { id: "people", label: "People", right: "people.read" },
  { id: "sign-in", label: "Sign-in", right: "sign-in.read" },
  { id: "alerts", label: "Alerts", right: "alerts.read" },
  { id: "webhooks", label: "Webhooks", right: "webhooks.read" },
  { id: "audit", label: "Audit trail", right: "audit.read" },
  { id: "archives", label: "Archives", right: "archives.read" },
  { id: "account", label: "Account", right: "account" },
] as const satisfies readonly Entry[];

export type PageId = (typeof pages)[number]["id"];

/** A page as a member sees it. */
export type VisiblePage = { readonly id: PageId; readonly label: string };

/** The pages that these roles have the right for. */
export function pagesFor(roles: readonly Role[]): readonly VisiblePage[] {
  return pages.flatMap((page: Entry & { readonly id: PageId }) => {
    const scope = scopeOf(page.right, roles);
    if (scope === null) return [];
    return [{ id: page.id, label: scope === "own" ? (page.own ?? page.label) : page.label }];
  });
}

/** The page that a member sees first: the organization's overview, or their own devices or keys. */
export function firstPage(visible: readonly VisiblePage[]): PageId {
  const first = (["overview", "devices", "keys"] as const).find((id) =>
    visible.some((page) => page.id === id),
  );
  return first ?? visible[0]?.id ?? "account";
}

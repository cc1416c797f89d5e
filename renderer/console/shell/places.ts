import {
  Activity,
  Archive,
  Bell,
  ChartColumn,
  ChartLine,
  CircleUser,
  Coins,
  Cpu,
  Flag,
  KeyRound,
  Laptop,
  Layers,
  LayoutDashboard,
  ListChecks,
  LogIn,
  type LucideIcon,
  MessageSquare,
  ScrollText,
  ShieldCheck,
  SlidersHorizontal,
  Ticket,
  Users,
  Wallet,
  Webhook,
} from "lucide-react";
import type { PageId, VisiblePage } from "./pages.ts";

/** Groups of the navigation, in order. The first one has no heading. */
export const groups = ["", "Fleet", "Work", "Organization"] as const;

type Place = {
  /** Null: the page has no link among the others. */
  readonly group: (typeof groups)[number] | null;
  readonly icon: LucideIcon;
  /** Typed after "g", it opens the page. */
  readonly key: string;
};

/** How each page appears in the navigation. */
export const places: Readonly<Record<PageId, Place>> = {
  overview: { group: "", icon: LayoutDashboard, key: "o" },
  devices: { group: "Fleet", icon: Laptop, key: "d" },
  policy: { group: "Fleet", icon: SlidersHorizontal, key: "p" },
  checks: { group: "Fleet", icon: ShieldCheck, key: "h" },
  models: { group: "Fleet", icon: Cpu, key: "m" },
  codes: { group: "Fleet", icon: Ticket, key: "e" },
  playground: { group: "Work", icon: MessageSquare, key: "y" },
  jobs: { group: "Work", icon: ListChecks, key: "j" },
  batches: { group: "Work", icon: Layers, key: "b" },
  disputes: { group: "Work", icon: Flag, key: "f" },
  queue: { group: "Work", icon: Activity, key: "q" },
  statistics: { group: "Work", icon: ChartLine, key: "s" },
  usage: { group: "Work", icon: ChartColumn, key: "t" },
  earnings: { group: "Fleet", icon: Coins, key: "n" },
  credits: { group: "Fleet", icon: Wallet, key: "r" },
  keys: { group: "Organization", icon: KeyRound, key: "k" },
  people: { group: "Organization", icon: Users, key: "u" },
  "sign-in": { group: "Organization", icon: LogIn, key: "i" },
  alerts: { group: "Organization", icon: Bell, key: "l" },
  webhooks: { group: "Organization", icon: Webhook, key: "w" },
  audit: { group: "Organization", icon: ScrollText, key: "a" },
  archives: { group: "Organization", icon: Archive, key: "v" },
  // The member's name at the bottom leads there.
  account: { group: null, icon: CircleUser, key: "c" },
};

/** The groups with those of the pages that the member may see. Empty groups are left out. */
export function grouped(
  pages: readonly VisiblePage[],
): readonly { readonly group: string; readonly pages: readonly VisiblePage[] }[] {
  return groups
    .map((group) => ({ group, pages: pages.filter(({ id }) => places[id].group === group) }))
    .filter((each) => each.pages.length > 0);
}

/** The title of the browser's tab: "Devices · Acme · Gleaner". */
export function titleOf(page: string, organization: string | null): string {
  return [page, organization, "Gleaner"].filter((part) => part !== null && part !== "").join(" · ");
}

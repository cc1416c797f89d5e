import { useSyncExternalStore } from "react";

export const pages = [
  { id: "overview", label: "Overview" },
  { id: "devices", label: "Devices" },
  { id: "policy", label: "Policy" },
  { id: "models", label: "Models" },
  { id: "jobs", label: "Jobs" },
  { id: "queue", label: "Queue" },
  { id: "statistics", label: "Statistics" },
  { id: "keys", label: "API keys" },
  { id: "codes", label: "Enrollment codes" },
  { id: "audit", label: "Audit trail" },
] as const;

export type PageId = (typeof pages)[number]["id"];

/** Finds the page that a location's hash names (`#/jobs`). The default is the overview. */
export function pageOf(hash: string): PageId {
  return pages.find((page) => hash === `#/${page.id}`)?.id ?? "overview";
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

export function usePage(): PageId {
  return useSyncExternalStore(subscribe, () => pageOf(window.location.hash));
}

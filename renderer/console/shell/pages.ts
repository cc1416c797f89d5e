import type { Right } from "../../../app/people/rights.ts";

/** The console's pages, in the order of the navigation. The name of the member leads to the last one. Members see those that they have the right for. */
export const pages = [
  { id: "overview", label: "Overview", right: "overview.read" },
  { id: "devices", label: "Devices", right: "devices.read" },
  { id: "policy", label: "Policy", right: "policy.read" },
  { id: "models", label: "Models", right: "models.read" },
  { id: "playground", label: "Playground", right: "playground.use" },
  { id: "jobs", label: "Jobs", right: "jobs.read" },
  { id: "queue", label: "Queue", right: "queue.read" },
  { id: "statistics", label: "Statistics", right: "statistics.read" },
  { id: "keys", label: "API keys", right: "keys.read" },
  { id: "codes", label: "Enrollment codes", right: "enrollment.read" },
  { id: "people", label: "People", right: "people.read" },
  { id: "sign-in", label: "Sign-in", right: "sign-in.read" },
  { id: "audit", label: "Audit trail", right: "audit.read" },
  { id: "account", label: "Account", right: "account" },
] as const satisfies readonly { readonly id: string; readonly label: string; readonly right: Right }[];

export type PageId = (typeof pages)[number]["id"];

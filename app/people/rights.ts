import { type Role, roles } from "./roles.ts";

/** "all": of the whole organization. "own": only what belongs to the member or to a team of the member. */
export type Scope = "all" | "own";

type Row = Readonly<Partial<Record<Role, Scope>>>;

/** Every member, for their own account. */
const everybody: Row = {
  owner: "own",
  admin: "own",
  operator: "own",
  requester: "own",
  donor: "own",
  auditor: "own",
};
const managers: Row = { owner: "all", admin: "all" };
const operators: Row = { ...managers, operator: "all" };

/**
 * The table of rights. Every public function that takes a session names one row, where it is built, and the builder refuses all
 * other roles. docs/people.md shows this table.
 */
const table = {
  account: everybody,
  "overview.read": { ...operators, auditor: "all" },
  "devices.read": { ...operators, auditor: "all", donor: "own" },
  "devices.pause": { ...operators, donor: "own" },
  "devices.change": operators,
  "devices.hand-over": { ...managers, donor: "own" },
  /** To add a computer, which then belongs to the member. */
  "devices.enroll": { owner: "own", admin: "own", operator: "own", donor: "own" },
  "enrollment.read": { ...operators, auditor: "all" },
  "enrollment.change": operators,
  /** Checks of answers, and cases about doubted ones. */
  "checks.read": { ...operators, auditor: "all" },
  "checks.change": managers,
  "policy.read": { ...operators, auditor: "all" },
  "policy.change": managers,
  "models.read": { ...operators, auditor: "all", requester: "all" },
  "models.change": managers,
  "jobs.read": { ...operators, auditor: "all", requester: "own" },
  "jobs.change": { ...operators, requester: "own" },
  /** To see the answers that requesters disputed, with their comments, and to decide who is right. */
  "disputes.read": { ...managers, auditor: "all" },
  "disputes.decide": managers,
  /** To look at a prompt and an answer: own means those of one's own keys. An organization may let its owners look at all. */
  "payloads.read": { owner: "own", admin: "own", requester: "own" },
  "payloads.change": { owner: "all" },
  "queue.read": { ...operators, auditor: "all" },
  "queue.change": operators,
  "statistics.read": { ...operators, auditor: "all" },
  "keys.read": { ...managers, auditor: "all", requester: "own" },
  "keys.create": { ...managers, requester: "own" },
  "keys.revoke": { ...managers, requester: "own" },
  "keys.change": managers,
  "keys.hand-over": { ...managers, requester: "own" },
  "money.read": { ...managers, auditor: "all", requester: "own", donor: "own" },
  "money.change": managers,
  "usage.read": { ...managers, auditor: "all", requester: "own" },
  "earnings.read": { ...managers, auditor: "all", donor: "own" },
  "credits.read": everybody,
  /** To move credits that one earned: to a key, to a colleague, or to a payout. */
  "credits.use": everybody,
  "payouts.read": { ...managers, auditor: "all" },
  "payouts.decide": managers,
  "playground.use": { owner: "own", admin: "own", operator: "own", requester: "own" },
  "alerts.read": { ...managers, auditor: "all" },
  "alerts.change": managers,
  "webhooks.read": { ...managers, auditor: "all" },
  "webhooks.change": managers,
  "metrics.read": { ...managers, auditor: "all" },
  "metrics.change": managers,
  "people.read": { ...managers, auditor: "all" },
  "people.change": managers,
  "sign-in.read": { ...managers, auditor: "all" },
  "sign-in.change": { owner: "all" },
  "audit.read": { ...managers, auditor: "all" },
  "archives.read": { ...managers, auditor: "all" },
  /** To change how long rows are kept in the database, and to move old ones into archives. */
  "archives.change": managers,
} as const satisfies Readonly<Record<string, Row>>;

export type Right = keyof typeof table;

export const rights = Object.keys(table) as readonly Right[];

/** How far a right goes for somebody with these roles. Null: not at all. */
export function scopeOf(right: Right, held: readonly Role[]): Scope | null {
  const row: Row = table[right];
  const scopes = held.map((role) => row[role]);
  if (scopes.includes("all")) return "all";
  return scopes.includes("own") ? "own" : null;
}

/** The roles that have a right, in the order of `roles`. */
export function rolesWith(right: Right): readonly Role[] {
  return roles.filter((role) => scopeOf(right, [role]) !== null);
}

import type { AuditAction } from "../../app/audit.ts";
import type { MutationCtx } from "../_generated/server.js";
import { record } from "./audit.ts";
import { allOrganizations } from "./organizations/create.ts";

const actions = {
  call: "deployment.function-called",
  read: "deployment.data-read",
  export: "deployment.data-exported",
  import: "deployment.data-imported",
  variables: "deployment.variables-changed",
  push: "deployment.functions-pushed",
} as const satisfies Readonly<Record<string, AuditAction>>;

type AdminActKind = keyof typeof actions;

export const adminActKinds = Object.keys(actions) as readonly AdminActKind[];

/** Functions of the operator that record their changes themselves, and read only names and settings. */
const recordsItself = /^setup(?:\.js)?:(?!auditRows|auditSeals)/;
const maxNames = 50;
const maxNameChars = 200;

/** Records something that was done with the admin key, in the trail of each organization: it may concern all of them. */
export async function recordAdminAct(
  ctx: MutationCtx,
  kind: AdminActKind,
  names: readonly string[],
  at: number,
): Promise<void> {
  const told = names.filter((name) => !recordsItself.test(name)).map((name) => name.slice(0, maxNameChars));
  if (names.length > 0 && told.length === 0) return;
  const [subject = "everything", ...others] = told.slice(0, maxNames);
  const detail = others.length === 0 ? {} : { detail: `also ${others.join(", ")}` };
  for (const { _id: organizationId } of await allOrganizations(ctx)) {
    await record(ctx, { organizationId, at, actor: "setup", action: actions[kind], subject, ...detail });
  }
}

import type { AuditAction } from "../../app/audit.ts";
import { auditGroupOf } from "../../app/audit.ts";
import { type Hash, type Seal, sealRows, type TrailRow } from "../../app/audit/chain.ts";
import { copiedId, type Row } from "./copies.ts";
import type { Subjects } from "./usage-rows.ts";

const rowsPerSeal = 100;
const trailMs = 30 * 86_400_000;

const acts = [
  "member.signed-in",
  "api-key.rights-changed",
  "member.changed",
  "budget.set",
  "api-key.created",
  "member.password-set",
] as const satisfies readonly AuditAction[];

/** A trail of some weeks up to `until`, and the seals over all of it. `id`: of an entry of the trail. */
export async function trailRows(
  { organizationId, members, keys }: Subjects,
  { id, count, until }: { readonly id: string; readonly count: number; readonly until: number },
  hash: Hash,
): Promise<{ readonly audit: readonly Row[]; readonly auditSeals: readonly Row[] }> {
  const entries = Array.from({ length: count }, (_, n): TrailRow & { readonly memberId: string } => {
    const at = Math.floor(until - ((count - n) * trailMs) / count);
    const action = acts[n % acts.length] ?? "member.signed-in";
    const memberId = members[n % members.length] ?? "";
    const ofKey = action.startsWith("api-key") || action.startsWith("budget");
    return {
      id: copiedId(id, n),
      // Convex creates rows at fractions of a millisecond.
      createdAt: at + 0.25,
      at,
      actor: "member",
      memberId,
      address: "192.0.2.7",
      action,
      subject: ofKey ? (keys[n % keys.length] ?? "") : memberId,
      detail: "changed by the benchmark",
    };
  });
  const seals: Seal[] = [];
  for (let from = 0; from < count; from += rowsPerSeal) {
    const some = entries.slice(from, from + rowsPerSeal);
    seals.push(await sealRows(organizationId, seals.at(-1) ?? null, some, hash));
  }
  return {
    audit: entries.map(({ id: _id, createdAt: _creationTime, ...entry }) => ({
      ...(entry as Row),
      _id,
      _creationTime,
      organizationId,
      who: entry.memberId,
      group: auditGroupOf(entry.action),
    })),
    auditSeals: seals.map((seal) => ({ ...seal, at: Math.ceil(seal.to) })),
  };
}

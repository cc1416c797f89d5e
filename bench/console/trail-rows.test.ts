import { expect, it } from "vitest";
import { checkTrail, type Seal, type TrailRow } from "../../app/audit/chain.ts";
import { hashSecret } from "../../launch/organization/secrets.ts";
import { encodeDocumentId } from "../../packages/embedded/values/document-id.ts";
import { trailRows } from "./trail-rows.ts";

it("each entry of the trail is sealed, and the chain fits", async () => {
  const id = encodeDocumentId({ tableNumber: 1, internalId: new Uint8Array(16).fill(1) });
  const subjects = { organizationId: "acme", members: ["ada", "eve"], keys: ["key"], devices: [] };
  const until = Date.UTC(2026, 10, 21);
  const hash = (text: string): Promise<string> => Promise.resolve(hashSecret(text));
  const { audit, auditSeals } = await trailRows(subjects, { id, count: 250, until }, hash);
  const rows = audit.map(({ _id, _creationTime, ...entry }) => ({
    ...entry,
    id: _id,
    createdAt: _creationTime,
  }));
  const trail = { rows: rows as unknown as TrailRow[], seals: auditSeals as unknown as Seal[] };
  expect(await checkTrail(trail, hash)).toEqual({ seals: 3, sealedRows: 250, unsealedRows: 0, broken: null });
  const [first, ...others] = trail.rows;
  const changed = { ...trail, rows: [{ ...first!, subject: "another" }, ...others] };
  expect((await checkTrail(changed, hash)).broken).toMatchObject({ number: 1 });
  expect(Math.max(...trail.rows.map(({ createdAt }) => createdAt))).toBeLessThan(until);
});

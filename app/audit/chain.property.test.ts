import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTrail, type Seal, sealProblem, sealRows, type TrailRow } from "./chain.ts";

const hash = async (text: string): Promise<string> =>
  await Promise.resolve(createHash("sha256").update(text).digest("hex"));

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const content = fc.record(
  {
    actor: text,
    memberId: text,
    sessionId: text,
    method: text,
    address: text,
    action: text,
    subject: text,
    detail: text,
  },
  { requiredKeys: ["actor", "action", "subject"] },
);

type Trail = { readonly rows: readonly TrailRow[]; readonly seals: readonly Seal[] };

/** A trail of pieces, each with its seal. Rows of one piece may have been made at one time. */
async function trailOf(pieces: readonly (readonly Partial<TrailRow>[])[]): Promise<Trail> {
  const rows: TrailRow[] = [];
  const seals: Seal[] = [];
  for (const [number, piece] of pieces.entries()) {
    const made = piece.map((row, index) => ({
      actor: "",
      action: "",
      subject: "",
      ...row,
      id: `row-${String(number)}-${String(index)}`,
      at: 1_000 * number,
      createdAt: 1_000 * number + Math.floor(index / 2) / 4,
    }));
    seals.push(await sealRows("org", seals.at(-1) ?? null, made, hash));
    rows.push(...made);
  }
  return { rows, seals };
}

const pieces = fc.array(fc.array(content, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
const pick = fc.nat();

/** One change by somebody who wants it to go unnoticed. Null: the choice changes nothing. */
function tampered({ rows, seals }: Trail, kind: number, place: number): Trail | null {
  const index = place % rows.length;
  const sealIndex = place % seals.length;
  const row = rows[index]!;
  const seal = seals[sealIndex]!;
  const withRow = (changed: TrailRow): Trail => ({ rows: rows.with(index, changed), seals });
  const withSeal = (changed: Seal): Trail => ({ rows, seals: seals.with(sealIndex, changed) });
  const fields = ["actor", "action", "subject", "detail", "address", "memberId", "sessionId"] as const;
  switch (kind) {
    case 0: {
      const field = fields[place % fields.length]!;
      return withRow({ ...row, [field]: `${row[field] ?? ""}!` });
    }
    case 1:
      return withRow({ ...row, at: row.at + 1 });
    case 2:
      return { rows: rows.toSpliced(index, 1), seals };
    case 3:
      return { rows: rows.toSpliced(index, 0, { ...row, id: `${row.id}-more` }), seals };
    case 4:
      return withSeal({ ...seal, count: seal.count + 1 });
    case 5:
      return withSeal({ ...seal, rows: "f".repeat(64) });
    case 6:
      return withSeal({ ...seal, previous: "e".repeat(64) });
    case 7:
      return withSeal({ ...seal, to: seal.to + 0.5 });
    default:
      // Without the seals at an end of the trail, the rest of it still fits. The caller counts the rows that it does not cover.
      if (sealIndex === 0 || sealIndex === seals.length - 1) return null;
      return { rows, seals: seals.toSpliced(sealIndex, 1) };
  }
}

describe("a chain of seals", () => {
  it("fits its own rows, in whatever order they come", async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (given) => {
        const { rows, seals } = await trailOf(given);
        const report = await checkTrail({ rows: rows.toReversed(), seals: seals.toReversed() }, hash);
        expect(report).toEqual({
          seals: seals.length,
          sealedRows: rows.length,
          unsealedRows: 0,
          broken: null,
        });
      }),
    );
  });

  it("shows each change of a row or a seal, wherever it is", async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat(8), pick, async (given, kind, place) => {
        const changed = tampered(await trailOf(given), kind, place);
        fc.pre(changed !== null);
        expect((await checkTrail(changed, hash)).broken).not.toBeNull();
      }),
      { numRuns: 400 },
    );
  });

  it("shows a seal that was computed again for changed rows, at the next seal", async () => {
    const { rows, seals } = await trailOf([[{ detail: "a" }], [{ detail: "b" }], [{ detail: "c" }]]);
    const forged = rows.with(1, { ...rows[1]!, detail: "nothing" });
    const again = await sealRows("org", seals[0]!, [forged[1]!], hash);
    const report = await checkTrail({ rows: forged, seals: seals.with(1, again) }, hash);
    expect(report.broken).toMatchObject({ number: 3 });
  });

  it("can be checked from the middle, and counts the rows that no seal covers", async () => {
    const { rows, seals } = await trailOf([[{}, {}], [{}], [{}]]);
    expect(await checkTrail({ rows, seals: seals.slice(1, 2) }, hash)).toEqual({
      seals: 1,
      sealedRows: 1,
      unsealedRows: 3,
      broken: null,
    });
  });

  it("asks for the seal before", async () => {
    const { rows, seals } = await trailOf([[{}], [{}]]);
    expect(await sealProblem(seals[1]!, null, [rows[1]!], hash)).toContain("missing");
    expect(await sealProblem(seals[1]!, seals[0]!, [rows[1]!], hash)).toBeNull();
  });
});

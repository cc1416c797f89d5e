import { ConvexError } from "convex/values";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyShard,
  type GaveWay,
  layOut,
  type Pool,
  roomIn,
  takeFrom,
  takePortion,
  type Turn,
} from "./portions.ts";

type Row = { readonly shard: number; readonly leftMicro: bigint };

/** A pool in memory. */
class Credits {
  readonly rows = new Map<number, bigint>();
  taken = 0n;
  total: bigint;
  readAll = 0;
  written = 0;

  constructor(total: bigint) {
    this.total = total;
  }

  get pool(): Pool<Row> {
    return {
      name: "credits",
      rowOf: async (shard) => await Promise.resolve(this.#rowOf(shard)),
      rows: async () => {
        this.readAll += 1;
        const rows = [...this.rows.keys()].map((shard) => this.#rowOf(shard));
        return await Promise.resolve(rows.filter((row) => row !== null));
      },
      write: async (shard, _, leftMicro, taken) => {
        this.written += 1;
        this.rows.set(shard, leftMicro);
        this.taken += taken;
        await Promise.resolve();
      },
      sure: async () => await Promise.resolve(this.total - this.taken),
      given: async () => await Promise.resolve(0n),
    };
  }

  #rowOf(shard: number): Row | null {
    const leftMicro = this.rows.get(shard);
    return leftMicro === undefined ? null : { shard, leftMicro };
  }

  portions(): bigint {
    return [...this.rows.values()].reduce((sum, left) => sum + left, 0n);
  }

  /** Takes once, as a call does that submits again after it gave way. @returns whether it got the credits, and the ways that it gave. */
  async take(micro: bigint): Promise<{ readonly got: boolean; readonly ways: GaveWay[] }> {
    const ways: GaveWay[] = [];
    let turn: Turn = { shards: {}, gathers: false };
    for (;;) {
      try {
        return { got: await takeFrom(this.pool, { shard: anyShard(), turn }, micro), ways };
      } catch (thrown) {
        if (!(thrown instanceof ConvexError)) throw thrown;
        const way = thrown.data as GaveWay;
        ways.push(way);
        if (ways.length > 4) throw new Error("it gave way too often", { cause: thrown });
        turn =
          way.shard === null
            ? { shards: {}, gathers: true }
            : { shards: { [way.pool]: way.shard }, gathers: false };
      }
    }
  }
}

describe("layOut", () => {
  it.each([
    [12_800n, 0n, 10n, { count: 64, portion: 100n, isRest: false, wholly: false }],
    [1_280n, 0n, 10n, { count: 64, portion: 10n, isRest: false, wholly: false }],
    [1_279n, 0n, 10n, { count: 64, portion: 19n, isRest: true, wholly: false }],
    [105n, 0n, 10n, { count: 10, portion: 10n, isRest: true, wholly: false }],
    [105n, 80n, 10n, { count: 2, portion: 12n, isRest: true, wholly: false }],
    [105n, 100n, 10n, { count: 1, portion: 105n, isRest: true, wholly: true }],
  ])("%s credits, %s of them for batches, a call takes %s", (total, batch, least, expected) => {
    expect(layOut(total, batch, least)).toEqual(expected);
  });
});

describe("a pool", () => {
  it("lets one call after the other take all of it, and then refuses", async () => {
    for (const jobs of [1n, 2n, 3n, 20n, 65n, 130n, 500n]) {
      const credits = new Credits(jobs * 10n + 9n);
      for (let job = 0n; job < jobs; job += 1n) expect((await credits.take(10n)).got).toBe(true);
      expect(await credits.take(10n)).toMatchObject({ got: false });
      expect((await credits.take(9n)).got).toBe(true);
      expect(credits.taken).toBe(credits.total);
    }
  });

  it("sends a call whose portion is used up to one that has enough, and stores nothing", async () => {
    const credits = new Credits(10_000n);
    await credits.take(10n);
    for (let shard = 0; shard < 64; shard += 1) credits.rows.set(shard, shard < 48 ? 0n : 10n);
    credits.written = 0;
    const asked = takeFrom(credits.pool, { shard: 5, turn: { shards: {}, gathers: true } }, 10n);
    const thrown: unknown = await asked.catch((error: unknown) => error);
    const { kind, pool, shard } = (thrown as ConvexError<GaveWay>).data;
    expect([kind, pool, credits.written]).toEqual(["gave-way", "credits", 0]);
    expect(credits.rows.get(shard ?? 0)).toBe(10n);
    await takeFrom(credits.pool, { shard: 5, turn: { shards: { [pool]: shard ?? 0 }, gathers: false } }, 10n);
    expect(credits.rows.get(shard ?? 0)).toBe(0n);
    expect(credits.written).toBe(1);
  });

  it("is filled only by a call that has waited, unless it is new", async () => {
    const credits = new Credits(1_000n);
    expect((await credits.take(10n)).ways).toEqual([]);
    for (const shard of credits.rows.keys()) credits.rows.set(shard, 0n);
    expect((await credits.take(10n)).ways).toEqual([{ kind: "gave-way", pool: "credits", shard: null }]);
  });

  it("gives a call that cannot give way another portion, and reads all of them only if it finds none", async () => {
    const credits = new Credits(100_000n);
    const take = async (): Promise<boolean> => await takeFrom(credits.pool, { shard: 3 }, 10n);
    await take();
    credits.rows.set(3, 0n);
    credits.readAll = 0;
    expect(await take()).toBe(true);
    expect(credits.readAll).toBe(0);
    for (const shard of credits.rows.keys()) credits.rows.set(shard, shard === 60 ? 10n : 0n);
    while (credits.rows.get(60) !== 0n) expect(await take()).toBe(true);
  });

  it("never gives out more than there is, whatever calls and batches take", async () => {
    const act = fc.record({
      kind: fc.constantFrom("call", "call", "call", "stubborn", "batch", "give-back"),
      micro: fc.bigInt(1n, 40n),
    });
    await fc.assert(
      fc.asyncProperty(fc.bigInt(0n, 6_000n), fc.array(act, { maxLength: 120 }), async (total, acts) => {
        const credits = new Credits(total);
        for (const { kind, micro } of acts) {
          const left = credits.total - credits.taken;
          if (kind === "call") expect((await credits.take(micro)).got).toBe(left >= micro);
          else if (kind === "stubborn")
            expect(await takeFrom(credits.pool, { shard: anyShard() }, micro)).toBe(left >= micro);
          else if (kind === "give-back") credits.total += micro;
          else if ((await roomIn(credits.pool, micro)) >= micro) await takePortion(credits.pool, micro);
          else expect(left).toBeLessThan(micro);
          expect(credits.portions()).toBeLessThanOrEqual(credits.total - credits.taken);
          expect([...credits.rows.values()].every((each) => each >= 0n)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});

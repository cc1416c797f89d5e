import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeRoom, type StoredFile } from "./room.ts";

const gib = 2 ** 30;
const file = (sha256: string, changed: Partial<StoredFile> = {}): StoredFile => ({
  sha256,
  sizeBytes: 4 * gib,
  lastUsedAt: 0,
  pinned: false,
  wanted: true,
  ...changed,
});
const ask = {
  comingBytes: 4 * gib,
  partBytes: 0,
  freeBytes: 100 * gib,
  quotaBytes: 10 * gib,
  keepFreeBytes: 5 * gib,
  files: [file("old", { lastUsedAt: 1 }), file("new", { lastUsedAt: 2 })],
};

describe("room for one more file", () => {
  it("deletes nothing if there is room", () => {
    expect(makeRoom({ ...ask, quotaBytes: 12 * gib })).toEqual({ kind: "ok", evict: [] });
  });
  it("deletes the least recently used file", () => {
    expect(makeRoom(ask)).toEqual({ kind: "ok", evict: ["old"] });
  });
  it("deletes files that are no longer offered first", () => {
    const files = [file("old"), file("retired", { lastUsedAt: 9, wanted: false })];
    expect(makeRoom({ ...ask, files })).toEqual({ kind: "ok", evict: ["retired"] });
  });
  it("never deletes a running model", () => {
    const [old, recent] = ask.files;
    const files = [{ ...old!, pinned: true }, recent!];
    expect(makeRoom({ ...ask, files })).toEqual({ kind: "ok", evict: ["new"] });
    expect(makeRoom({ ...ask, quotaBytes: 7 * gib, files })).toEqual({ kind: "over-quota" });
  });
  it("makes room on the disk as well as in the quota", () => {
    expect(makeRoom({ ...ask, quotaBytes: 99 * gib, freeBytes: 6 * gib })).toEqual({
      kind: "ok",
      evict: ["old"],
    });
    expect(makeRoom({ ...ask, quotaBytes: 99 * gib, freeBytes: 0 })).toEqual({ kind: "disk-full" });
  });
  it("keeps the last gigabyte free, whatever the rules say", () => {
    const asked = { ...ask, quotaBytes: 99 * gib, keepFreeBytes: 0, files: [], freeBytes: 5 * gib };
    expect(makeRoom(asked).kind).toBe("ok");
    expect(makeRoom({ ...asked, freeBytes: 5 * gib - 1 })).toEqual({ kind: "disk-full" });
  });
});

it("deletes no pinned file, and none if that would not be enough", () => {
  const files = fc.array(
    fc.record({
      sha256: fc.uuid(),
      sizeBytes: fc.nat(8 * gib),
      lastUsedAt: fc.nat(),
      pinned: fc.boolean(),
      wanted: fc.boolean(),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(files, fc.nat(8 * gib), fc.nat(40 * gib), fc.nat(40 * gib), (all, coming, free, quota) => {
      const room = makeRoom({ ...ask, comingBytes: coming, freeBytes: free, quotaBytes: quota, files: all });
      if (room.kind !== "ok") return;
      const stay = all.filter(({ sha256 }) => !room.evict.includes(sha256));
      expect(all.filter((one) => room.evict.includes(one.sha256)).every(({ pinned }) => !pinned)).toBe(true);
      expect(stay.reduce((sum, { sizeBytes }) => sum + sizeBytes, coming)).toBeLessThanOrEqual(quota);
    }),
  );
});

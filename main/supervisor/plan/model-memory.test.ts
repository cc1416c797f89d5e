import { freemem } from "node:os";
import { describe, expect, it } from "vitest";
import { known, unknown } from "../../../app/facts/facts.ts";
import { cachedBytes, memoryForModels, memoryStatPaths } from "./model-memory.ts";

const mb = 2 ** 20;
const now = { found: known(8_000), leaveMb: 512, runnerPid: undefined };

describe("memory for models", () => {
  it("uses most of the sensors' value on systems whose own value excludes caches", () => {
    expect(memoryForModels(now, "darwin")).toBe(6_800 * mb);
    expect(memoryForModels(now, "win32")).toBe(6_800 * mb);
  });

  it("leaves memory free by the rules, and a margin on these systems", () => {
    expect(memoryForModels({ ...now, leaveMb: 2_744 }, "darwin")).toBe(5_000 * mb);
    expect(memoryForModels({ ...now, leaveMb: 9_000 }, "darwin")).toBe(0);
  });

  it("returns null while a runner holds an unknown part of the memory", () => {
    expect(memoryForModels({ ...now, runnerPid: process.pid }, "darwin")).toBeNull();
    expect(memoryForModels({ ...now, found: unknown }, "darwin")).toBeGreaterThan(0);
  });

  it.runIf(process.platform === "linux")(
    "counts the memory that the runner would free, without mapped files",
    () => {
      const without = memoryForModels(now) ?? 0;
      expect(without).toBeGreaterThan(0);
      expect(without).toBeLessThan(freemem());
      const held = (memoryForModels({ ...now, runnerPid: process.pid }) ?? 0) - without;
      // Other programs allocate and free memory meanwhile.
      expect(held).toBeLessThan(process.memoryUsage().rss + 512 * mb);
    },
  );
});

describe("a cgroup's memory.stat", () => {
  it("finds memory.stat in either version of the cgroup hierarchy", () => {
    expect(memoryStatPaths("0::/gleaner.slice/gleaner-donor.service\n")).toEqual([
      "/sys/fs/cgroup/gleaner.slice/gleaner-donor.service/memory.stat",
    ]);
    expect(memoryStatPaths("5:cpu,cpuacct:/\n4:memory:/docker/a\n0::/\n")).toEqual([
      "/sys/fs/cgroup/memory/docker/a/memory.stat",
      "/sys/fs/cgroup/memory/memory.stat",
    ]);
  });

  it("reads the cached bytes, including those of the groups below", () => {
    expect(cachedBytes("anon 5\nfile 9\ninactive_file 300\nactive_file 40\n")).toBe(340);
    const old = "inactive_file 1\nactive_file 2\ntotal_inactive_file 300\ntotal_active_file 40\n";
    expect(cachedBytes(old)).toBe(340);
    expect(cachedBytes("")).toBe(0);
  });
});

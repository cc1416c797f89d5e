import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { CpuAffinity, lastOf } from "./cpu-affinity.ts";

it.each([
  ["0-7", 2, "6,7"],
  ["0", 1, "0"],
  ["0-1", 8, "0,1"],
  ["0-3,8,10-11", 3, "8,10,11"],
  ["0-3", 0, "3"],
])("takes the last processors of list %j, %i of them: %j", (list, count, expected) => {
  expect(lastOf(list, count)).toBe(expected);
});

const noTaskset = spawnSync("taskset", ["--version"], { stdio: "ignore" }).status !== 0;

it.skipIf(noTaskset)(
  "keeps all threads of a process to the last processors, and releases them again",
  async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await once(child, "spawn");
    const pid = child.pid ?? -1;
    const allowed = (): string[] =>
      readdirSync(`/proc/${pid}/task`).map(
        (id) =>
          /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/task/${id}/status`, "utf8"))?.[1] ??
          "",
      );
    try {
      await vi.waitFor(() => expect(allowed().length).toBeGreaterThan(4), { timeout: 60_000 });
      const [all = ""] = allowed();
      const affinity = new CpuAffinity(() => pid);
      affinity.keepTo(1);
      const isAll = (list: string): void => expect([...new Set(allowed())]).toEqual([list]);
      await vi.waitFor(() => isAll(lastOf(all, 1)), { timeout: 60_000 });
      affinity.keepTo(null);
      await vi.waitFor(() => isAll(all), { timeout: 60_000 });
    } finally {
      child.kill("SIGKILL");
    }
  },
);

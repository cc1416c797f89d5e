import { accessSync, constants, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { runnerEntry, testConfinement } from "../../runner/runner.fixture.ts";
import { cpuGroupOf, idleGroupName, leaveIdleGroup } from "./idle-group.ts";
import type { RunnerChild } from "./runner-child.ts";

const mount = (root: string, point: string, type: string, options = "rw"): string =>
  `41 31 0:38 ${root} ${point} rw,relatime shared:9 master:1 - ${type} ${type} ${options}`;
const rootDisk = "23 1 254:0 / / rw,relatime - ext4 /dev/root rw";
const v1 = mount("/", "/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct");
const cpuset = mount("/", "/sys/fs/cgroup/cpuset", "cgroup", "rw,cpuset");
const v2 = mount("/", "/sys/fs/cgroup", "cgroup2", "rw,nsdelegate");
const unified = mount("/", "/sys/fs/cgroup/unified", "cgroup2");
const inUnit = "0::/system.slice/gleaner-donor.service\n";
const unitDirectory = "/sys/fs/cgroup/system.slice/gleaner-donor.service";

const cases: readonly {
  readonly name: string;
  readonly cgroup: string;
  readonly mounts: readonly string[];
  readonly found: ReturnType<typeof cpuGroupOf>;
}[] = [
  {
    name: "a version 1 hierarchy with the cpu controller beside others",
    cgroup: "4:memory:/x\n3:cpuset:/y\n2:cpu,cpuacct:/z\n",
    mounts: [rootDisk, cpuset, v1],
    found: { version: 1, directory: "/sys/fs/cgroup/cpu,cpuacct/z" },
  },
  {
    name: "both versions, with the cpu controller in version 1",
    cgroup: "2:cpu:/\n1:name=systemd:/init.scope\n0::/init.scope\n",
    mounts: [unified, mount("/", "/sys/fs/cgroup/cpu", "cgroup", "rw,cpu")],
    found: { version: 1, directory: "/sys/fs/cgroup/cpu" },
  },
  {
    name: "both versions, with the cpu controller in version 2",
    cgroup: "1:name=systemd:/init.scope\n0::/init.scope\n",
    mounts: [mount("/", "/sys/fs/cgroup/systemd", "cgroup", "rw,name=systemd"), unified],
    found: { version: 2, directory: "/sys/fs/cgroup/unified/init.scope" },
  },
  {
    name: "only version 2",
    cgroup: inUnit,
    mounts: [rootDisk, v2],
    found: { version: 2, directory: unitDirectory },
  },
  {
    name: "a name with a colon and a blank",
    cgroup: "0::/app: one.scope\n",
    mounts: [v2],
    found: { version: 2, directory: "/sys/fs/cgroup/app: one.scope" },
  },
  {
    name: "the root of a container with its own namespace",
    cgroup: "0::/\n",
    mounts: [v2],
    found: { version: 2, directory: "/sys/fs/cgroup" },
  },
  {
    name: "a container with a part of the machine's hierarchy, mounted at a path with blanks",
    cgroup: "2:cpu:/lxc/my box/inner\n",
    mounts: [mount("/lxc/my\\040box", "/sys/fs/my\\040\\134groups", "cgroup", "rw,cpu")],
    found: { version: 1, directory: "/sys/fs/my \\groups/inner" },
  },
  {
    name: "the mount's root itself",
    cgroup: "0::/docker/1a\n",
    mounts: [mount("/docker/1a", "/sys/fs/cgroup", "cgroup2")],
    found: { version: 2, directory: "/sys/fs/cgroup" },
  },
  {
    name: "the latest of several mounts that show the group",
    cgroup: inUnit,
    mounts: [mount("/", "/old", "cgroup2"), v2, mount("/user.slice", "/users", "cgroup2")],
    found: { version: 2, directory: unitDirectory },
  },
  {
    name: "not a mount of a group whose name has the same prefix",
    cgroup: "0::/docker/1ab\n",
    mounts: [mount("/docker/1a", "/sys/fs/cgroup", "cgroup2")],
    found: null,
  },
  { name: "nothing outside of its namespace", cgroup: "0::/../other\n", mounts: [v2], found: null },
  {
    name: "nothing under a mount from outside of its namespace",
    cgroup: "0::/\n",
    mounts: [mount("/../..", "/sys/fs/cgroup", "cgroup2")],
    found: null,
  },
  { name: "no group inside the idle group", cgroup: `0::/${idleGroupName}\n`, mounts: [v2], found: null },
  {
    name: "not version 2 if an unmounted version 1 hierarchy has the cpu controller",
    cgroup: "2:cpu:/\n0::/\n",
    mounts: [cpuset, unified],
    found: null,
  },
  { name: "nothing without groups", cgroup: "", mounts: [rootDisk, ""], found: null },
];

it.each(cases)("finds $name", ({ cgroup, mounts, found }) => {
  expect(cpuGroupOf(cgroup, `${mounts.join("\n")}\n`)).toEqual(found);
});

const idle = await idleGroupHere();
const started: RunnerChild[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill();
});

/** The directory of a runner's idle group on this machine, or why it can have none. */
async function idleGroupHere(): Promise<
  { readonly directory: string; readonly threads: string } | { readonly why: string }
> {
  if (process.platform !== "linux") return { why: "only Linux has cgroups" };
  const [cgroup, mounts] = await Promise.all(
    ["cgroup", "mountinfo"].map((name) => readFile(`/proc/self/${name}`, "utf8")),
  );
  const own = cpuGroupOf(cgroup ?? "", mounts ?? "");
  if (own === null) return { why: "no cpu group is visible" };
  try {
    accessSync(own.directory, constants.W_OK);
    // This file exists if the kernel supports idle groups.
    accessSync(join(own.directory, "cpu.idle"), constants.R_OK);
    const threads = own.version === 1 ? "tasks" : "cgroup.threads";
    return { directory: join(own.directory, idleGroupName), threads };
  } catch {
    return { why: `no group can be made in ${own.directory}` };
  }
}

const runnable = { skip: "why" in idle, timeout: 120_000 };
const reason = "why" in idle ? ` (skipped: ${idle.why})` : "";
it(`starts a runner in an idle group, and removes the group at the end${reason}`, runnable, async () => {
  if ("why" in idle) return;
  const { directory, threads } = idle;
  vi.stubEnv("GLEANER_TEST_PRIORITY", "");
  const { forkRunner } = await import("./fork-runner.ts");
  const { RunnerSupervisor } = await import("../supervisor.ts");
  const child = forkRunner(runnerEntry)();
  started.push(child);

  // It is in the group from the start. Its first message could take minutes beside other tests, so nothing waits for it.
  const [cgroup, mounts] = await Promise.all(
    ["cgroup", "mountinfo"].map((name) => readFile(`/proc/${child.pid}/${name}`, "utf8")),
  );
  expect(cgroup).toMatch(new RegExp(`^\\d+:(|.*\\bcpu\\b.*):/(.*/)?${idleGroupName}$`, "m"));
  expect(cpuGroupOf(cgroup ?? "", mounts ?? "")).toBeNull();
  expect((await readFile(join(directory, "cpu.idle"), "utf8")).trim()).toBe("1");
  const supervisor = new RunnerSupervisor(
    () => forkRunner(runnerEntry)(testConfinement),
    () => undefined,
  );
  await supervisor.stop();
  expect(existsSync(directory)).toBe(true);

  leaveIdleGroup(child.pid ?? -1);
  expect(await readFile(`/proc/${child.pid}/cgroup`, "utf8")).toBe(
    await readFile("/proc/self/cgroup", "utf8"),
  );

  const gone = new Promise<void>((resolve) => child.onExit(() => resolve()));
  child.kill();
  await gone;
  // Another donor's runner may be in the group too. Only an empty group is removed.
  await supervisor.stop();
  const others = await readFile(join(directory, threads), "utf8").catch(() => "");
  expect(existsSync(directory) && others === "").toBe(false);
});

import { expect, it } from "vitest";
import { bubblewrapArguments, tryBubblewrap } from "./bubblewrap.ts";
import type { PathRule } from "./paths.ts";

const links: Readonly<Record<string, string>> = { "/lib": "/usr/lib", "/home/me/models": "/data/models" };
const real = (path: string): string | null => (path.includes("missing") ? null : (links[path] ?? path));

/** The bound paths, in their order. */
function boundOf(rules: readonly PathRule[]): readonly string[] {
  const args = bubblewrapArguments(rules, real);
  return args.flatMap((each, index) =>
    each.endsWith("-bind") || each === "--bind" ? [`${each} ${args[index + 1]}`] : [],
  );
}

it("binds what is there, by its own name and by its real one", () => {
  const rules: readonly PathRule[] = [
    { path: "/lib", access: "read" },
    { path: "/missing", access: "read" },
    { path: "/home/me/models", access: "read" },
    { path: "/usr/bin/node", access: "run" },
  ];
  expect(boundOf(rules)).toEqual([
    "--ro-bind /data/models",
    "--ro-bind /home/me/models",
    "--ro-bind /lib",
    "--ro-bind /usr/bin/node",
    "--ro-bind /usr/lib",
  ]);
});

it("binds a folder before its contents, and nothing twice", () => {
  const rules: readonly PathRule[] = [
    { path: "/usr/lib/libnode.so", access: "read" },
    { path: "/dev/dri/renderD128", access: "device" },
    { path: "/dev/dri", access: "read" },
    { path: "/usr/lib", access: "read" },
    { path: "/data/gpu-cache", access: "write" },
    { path: "/data", access: "read" },
  ];
  expect(boundOf(rules)).toEqual([
    "--ro-bind /data",
    "--bind /data/gpu-cache",
    "--ro-bind /dev/dri",
    "--dev-bind /dev/dri/renderD128",
    "--ro-bind /usr/lib",
  ]);
});

it("lets only named devices be opened", () => {
  const rules: readonly PathRule[] = [
    { path: "/dev/null", access: "device" },
    { path: "/dev/nvidia0", access: "device" },
    { path: "/dev/urandom", access: "read" },
  ];
  expect(boundOf(rules)).toEqual([
    "--dev-bind /dev/null",
    "--dev-bind /dev/nvidia0",
    "--dev-bind /dev/urandom",
  ]);
});

it("shows a /proc of its own, no network and no other program, and keeps no right", () => {
  const args = bubblewrapArguments([{ path: "/proc/self", access: "ownProcess" }], real);
  expect(args).not.toContain("/proc/self");
  for (const each of ["--proc", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--die-with-parent"])
    expect(args).toContain(each);
  expect(args.join(" ")).toContain("--cap-drop ALL");
  // Last: later binds could not be made.
  expect(args.slice(-4)).toEqual(["--remount-ro", "/", "--chdir", "/"]);
});

it("says why it does not work, in one line without control characters", () => {
  expect(tryBubblewrap("/nowhere/bwrap", [])).toBe(
    "bubblewrap does not work here (spawnSync /nowhere/bwrap ENOENT)",
  );
  const failing = "process.stderr.write('bwrap: \\u001b[31mno\\u0000\\nmore'); process.exit(1)";
  expect(tryBubblewrap(process.execPath, ["-e", failing])).toBe(
    "bubblewrap does not work here (bwrap: [31mno)",
  );
});

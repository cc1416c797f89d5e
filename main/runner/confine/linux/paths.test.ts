import { expect, it } from "vitest";
import { report } from "./confine-linux.ts";
import { ruleOf, rulesetOf } from "./landlock.ts";
import {
  graphicsDevices,
  mappedFiles,
  mustStayOpen,
  type PathRule,
  pathRules,
  type Surroundings,
} from "./paths.ts";

const folders: Readonly<Record<string, readonly string[]>> = {
  "/dev": [
    "null",
    "sda",
    "nvidia0",
    "nvidiactl",
    "nvidia-uvm",
    "nvidia-uvm-tools",
    "nvidia-caps",
    "dri",
    "video0",
  ],
  "/dev/dri": ["by-path", "card0", "renderD128"],
  "/usr/local": ["bin", "cuda-13.0", "lib"],
};

const order = { read: ["/data/models"], cache: "/data/gpu-cache", bubblewrap: null, off: false };

function around(changed: Partial<Surroundings> = {}): Surroundings {
  return {
    execPath: "/usr/bin/node",
    entry: "/home/me/gleaner/main/runner/runner-process.ts",
    mapped: ["/usr/bin/node", "/opt/node/libnode.so", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"],
    list: (folder) => folders[folder] ?? [],
    env: {},
    ...changed,
  };
}

function pathsOf(access: string, found = pathRules(order, around())): readonly string[] {
  return found.filter((rule) => rule.access === access).map(({ path }) => path);
}

it("reads the program, libraries and models, and nothing else of the person", () => {
  const personal = pathRules(order, around()).filter(({ path }) => path.startsWith("/home/"));
  expect(personal.map(({ path }) => path)).toEqual(
    ["main", "app", "node_modules", "package.json"].map((name) => `/home/me/gleaner/${name}`),
  );
  expect(pathsOf("read")).toContain("/data/models");
  expect(pathsOf("read")).toContain("/usr/local/cuda-13.0");
  for (const path of ["/", "/home", "/etc", "/etc/passwd", "/proc", "/tmp", "/dev", "/dev/shm", "/run"]) {
    expect(pathRules(order, around()).map((rule) => rule.path)).not.toContain(path);
  }
});

it("runs only its own program and its loader", () => {
  expect(pathsOf("run")).toEqual(["/usr/bin/node", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"]);
});

it("uses the devices of graphics cards and their cache, where there are any", () => {
  expect(pathsOf("device")).toEqual([
    "/dev/null",
    "/dev/zero",
    "/dev/nvidia0",
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
    "/dev/nvidia-caps",
    "/dev/dri/renderD128",
  ]);
  expect(pathsOf("write")).toEqual(["/data/gpu-cache"]);
  const without = pathRules(order, around({ list: () => [] }));
  expect(pathsOf("device", without)).toEqual(["/dev/null", "/dev/zero"]);
  expect(pathsOf("write", without)).toEqual([]);
  expect(graphicsDevices({ list: () => [] })).toEqual({ cuda: false, paths: [] });
});

it("reads an installed program's own folder", () => {
  const installed = around({
    execPath: "/opt/Gleaner/gleaner-desktop",
    entry: "/opt/Gleaner/resources/app.asar/out/main/runner-process.js",
  });
  const found = pathsOf("read", pathRules(order, installed));
  for (const path of ["/opt/Gleaner", "/opt/Gleaner/resources/app.asar.unpacked"])
    expect(found).toContain(path);
});

it("believes only absolute folders of libraries", () => {
  const env = { LD_LIBRARY_PATH: "/opt/lib::.:/", GLEANER_CUDA: "/data/cuda" };
  const found = pathsOf("read", pathRules(order, around({ env })));
  for (const path of ["/opt/lib", "/data/cuda"]) expect(found).toContain(path);
  for (const path of ["", ".", "/"]) expect(found).not.toContain(path);
});

it("keeps the rules of /proc alive", () => {
  const open = pathRules(order, around()).filter(mustStayOpen);
  expect(open.map(({ path }) => path)).toContain("/proc/self");
  expect(open.every(({ path }) => path.startsWith("/proc/"))).toBe(true);
});

it("reads named entries of its own process, and all of them only where NVIDIA's driver needs that", () => {
  const own = (found: readonly PathRule[]) =>
    found.map(({ path }) => path).filter((path) => path.startsWith("/proc/self"));
  const without = own(pathRules(order, around({ list: () => [] })));
  expect(without).toContain("/proc/self/maps");
  // These lead to the list of the whole computer's connections.
  for (const path of ["/proc/self", "/proc/self/net", "/proc/self/task"]) expect(without).not.toContain(path);
  expect(own(pathRules(order, around()))).toEqual(["/proc/self"]);
  const windows = around({ list: (folder) => (folder === "/dev" ? ["dxg"] : []) });
  expect(own(pathRules(order, windows))).toEqual(["/proc/self"]);
});

it("reads the libraries that the program came with", () => {
  expect(pathsOf("read")).toContain("/opt/node/libnode.so");
});

it("finds the files in memory", () => {
  const maps = [
    "7f10-7f20 r--p 00000000 fd:00 12    /lib/ld-musl-aarch64.so.1",
    "7f20-7f30 r-xp 00001000 fd:00 12    /lib/ld-musl-aarch64.so.1",
    "7f30-7f40 r-xp 00001000 fd:00 13    /home/me/a b/libuv.so.1",
    "7f40-7f50 rw-s 00000000 00:01 14    /memfd:jit (deleted)",
    "7f50-7f60 rw-s 00000000 00:05 15    /dev/nvidiactl",
    "7f60-7f70 rw-p 00000000 00:00 0     [heap]",
    "7f70-7f80 rw-p 00000000 00:00 0",
  ];
  expect(mappedFiles(maps.join("\n"))).toEqual(["/lib/ld-musl-aarch64.so.1", "/home/me/a b/libuv.so.1"]);
});

it("asks each version of Landlock only for what it knows", () => {
  const words = (version: number): readonly bigint[] => {
    const bytes = rulesetOf(version);
    return Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readBigUInt64LE(index * 8));
  };
  expect(words(1)).toEqual([0x1fffn]);
  expect(words(3)).toEqual([0x7fffn]);
  expect(words(4)).toEqual([0x7fffn, 3n]);
  expect(words(7)).toEqual([0xffffn, 3n, 3n]);
  // A file has no entries; version 1 knows no control of devices.
  expect(ruleOf(7, "device", false, 9).readBigUInt64LE(0)).toBe(0x8006n);
  expect(ruleOf(1, "device", false, 9).readBigUInt64LE(0)).toBe(0x6n);
  expect(ruleOf(7, "read", true, 9).readInt32LE(8)).toBe(9);
});

it.each([
  [7, "", null, ["yes", "yes", "yes", "yes"]],
  [2, "not installed", null, ["partly", "yes", "yes", "yes"]],
  [0, "not installed", null, ["no", "yes", "yes", "yes"]],
  [4, "", "no filter", ["yes", "partly", "no", "no"]],
  [0, "not installed", "no filter", ["no", "no", "no", "no"]],
  [0, null, null, ["yes", "yes", "yes", "yes"]],
  [0, null, "no filter", ["yes", "yes", "partly", "no"]],
])(
  "reports Landlock %i, without bubblewrap: %j, and refusal %s as %j",
  (landlock, without, refused, parts) => {
    const found = report({ landlock, withoutBubblewrap: without }, refused);
    expect(found.map(({ confined }) => confined)).toEqual(parts);
    expect(found.every(({ confined, why }) => (confined === "yes") === (why === null))).toBe(true);
    if (parts[0] !== "yes") expect(found[0]?.why).toContain(without);
  },
);

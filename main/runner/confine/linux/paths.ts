import { dirname, isAbsolute, join } from "node:path";
import type { ConfinementOrder } from "../../../../app/contract/runner-start.ts";
import type { Access } from "./landlock.ts";

export type PathRule = { readonly path: string; readonly access: Access };

/** The shared libraries of the system, their caches, and the descriptions of graphics drivers. */
const systemFolders = [
  "/lib",
  "/lib32",
  "/lib64",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/local/lib",
  "/usr/local/lib64",
  "/usr/local/nvidia",
  "/usr/local/share/vulkan",
  "/opt/cuda",
  "/opt/rocm",
  // NixOS and Guix.
  "/nix/store",
  "/gnu/store",
  "/run/opengl-driver",
  "/etc/alternatives",
  "/etc/drirc",
  "/etc/glvnd",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/ld.so.preload",
  "/etc/localtime",
  "/etc/nvidia",
  "/etc/os-release",
  "/etc/ssl/openssl.cnf",
  "/etc/vulkan",
  "/usr/share/drirc.d",
  "/usr/share/egl",
  "/usr/share/glvnd",
  "/usr/share/libdrm",
  "/usr/share/locale",
  "/usr/share/nvidia",
  "/usr/share/vulkan",
  "/usr/share/zoneinfo",
  // Facts about the hardware, which every program may read.
  "/sys",
  "/dev/random",
  "/dev/urandom",
] as const;

/**
 * The parts of /proc that say nothing about other programs. The rule for such a path holds only as long as somebody has
 * it open: the kernel makes its entries anew when memory is short.
 */
const processFiles = [
  "/proc/cgroups",
  "/proc/cpuinfo",
  "/proc/devices",
  "/proc/driver/nvidia",
  "/proc/driver/nvidia-uvm",
  "/proc/filesystems",
  "/proc/loadavg",
  "/proc/meminfo",
  "/proc/modules",
  "/proc/stat",
  "/proc/sys",
  "/proc/uptime",
  "/proc/version",
] as const;

/**
 * The process's own entries that Node and the C library read. The folder as a whole has /proc/self/net, which lists the
 * connections of the whole computer.
 */
const ownFiles = ["auxv", "cgroup", "cmdline", "limits", "maps", "stat", "statm", "status"].map(
  (name) => `/proc/self/${name}`,
);

/** The names in /dev of graphics cards. Cards that only compute have no other. */
const cudaDevice = /^nvidia/;
const renderDevice = /^renderD\d+$/;

/** The system as seen by the program that confines itself. */
export type Surroundings = {
  /** Absolute path of node's or Electron's program. */
  readonly execPath: string;
  /** The running file: main/runner/runner-process.ts, or a bundle of it in a folder below out/. */
  readonly entry: string;
  /** The files in this process's memory: the program, its libraries, and the loader of libraries. */
  readonly mapped: readonly string[];
  /** The names of the entries of a folder; empty if it does not exist. */
  readonly list: (folder: string) => readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Whether there is a graphics card, for which drivers need their devices and a cache. */
export function graphicsDevices({ list }: Pick<Surroundings, "list">): {
  readonly cuda: boolean;
  readonly paths: readonly string[];
} {
  const top = list("/dev");
  const nvidia = top.filter((name) => cudaDevice.test(name));
  const others = top.filter((name) => name === "kfd" || name === "dxg");
  const render = list("/dev/dri").filter((name) => renderDevice.test(name));
  return {
    cuda: nvidia.length > 0,
    paths: [
      ...[...nvidia, ...others].map((name) => `/dev/${name}`),
      ...render.map((name) => `/dev/dri/${name}`),
    ],
  };
}

/** All that a runner may reach. Nothing else can be opened. */
export function pathRules(order: ConfinementOrder, around: Surroundings): readonly PathRule[] {
  const { execPath, mapped, list, env } = around;
  const { cuda, paths: graphics } = graphicsDevices(around);
  const usesCuda = cuda || graphics.includes("/dev/dxg");
  const reads = [
    ...programFolders(around),
    // Node may have come with libraries in a folder of its own.
    ...mapped,
    ...systemFolders,
    ...list("/usr/local").flatMap((name) => (name.startsWith("cuda") ? [`/usr/local/${name}`] : [])),
    ...libraryFolders(env),
    ...(graphics.length > 0 ? ["/dev/dri"] : []),
    ...processFiles,
    ...(usesCuda ? [] : ownFiles),
    ...order.read,
  ];
  const writes = graphics.length > 0 && order.cache !== null ? [order.cache] : [];
  return [
    ...rules("read", reads),
    ...rules("run", [execPath, ...mapped.filter((path) => loader.test(path))]),
    ...rules("device", ["/dev/null", "/dev/zero", ...graphics]),
    // NVIDIA's driver writes the names of its threads below /proc/self/task.
    ...rules("ownProcess", usesCuda ? ["/proc/self"] : []),
    ...rules("write", writes),
  ].filter(({ path }) => isAbsolute(path));
}

/** Whether the path must stay open for its rule to hold. */
export function mustStayOpen({ path }: PathRule): boolean {
  return path.startsWith("/proc/");
}

/** The program's own files, and the packages that it loads. Never the checkout as a whole, which may hold anything. */
function programFolders({ entry, execPath }: Surroundings): readonly string[] {
  const packages = (root: string): readonly string[] =>
    ["node_modules", "package.json"].map((name) => join(root, name));
  const electron = isElectron(execPath) ? [dirname(execPath)] : [];
  if (entry.endsWith(".ts")) {
    const root = entry.slice(0, Math.max(0, entry.lastIndexOf("/main/runner/")));
    return [...electron, join(root, "main"), join(root, "app"), ...packages(root)];
  }
  // The bundle is in out/NAME/, its shared pieces in a folder of it.
  const root = join(dirname(entry), "../..");
  return [
    ...electron,
    dirname(entry),
    ...packages(root),
    ...(root.endsWith(".asar") ? [root, `${root}.unpacked`] : []),
  ];
}

/** Node is one file. Electron has its libraries and data beside its program. */
function isElectron(execPath: string): boolean {
  return !/(^|\/)node[^/]*$/.test(execPath);
}

/** The folders that the machine's owner names for libraries, and CUDA's. */
function libraryFolders(env: Surroundings["env"]): readonly string[] {
  const named = [
    env["GLEANER_CUDA"],
    env["CUDA_PATH"],
    env["CUDA_HOME"],
    ...(env["LD_LIBRARY_PATH"] ?? "").split(":"),
  ];
  return named.flatMap((path) => (path === undefined || path === "" || path === "/" ? [] : [path]));
}

function rules(access: Access, paths: readonly string[]): readonly PathRule[] {
  return paths.map((path) => ({ path, access }));
}

/** The program that loads shared libraries, with which every start of a program begins. */
const loader = /\/ld-(?:linux|musl)[^/]*$|\/ld-[\d.]+\.so$/;

/** The files in a process's memory, from the text of /proc/self/maps (proc(5)). */
export function mappedFiles(maps: string): readonly string[] {
  const found = maps.split("\n").flatMap((line) => /^(?:\S+\s+){4}[1-9]\d*\s+(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(found)].filter((path) => !/^\/(?:dev|proc|memfd:)|\(deleted\)$/.test(path));
}

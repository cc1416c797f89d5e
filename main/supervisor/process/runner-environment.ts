import { join } from "node:path";
import { systemRoot } from "../../system-programs.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that llama.cpp, graphics drivers, the loader of libraries, the locale and Node need. */
const passed: readonly (string | RegExp)[] = [
  "LANG",
  "LANGUAGE",
  /^LC_[A-Z]+$/,
  "TZ",
  "LD_LIBRARY_PATH",
  /^CUDA_(?!.*(?:KEY|TOKEN|SECRET))/,
  /^(?:GGML|VK|RADV|HSA|ROCR)_[A-Z0-9_]+$/,
  "DRI_PRIME",
  "MESA_VK_DEVICE_SELECT",
  "NVIDIA_VISIBLE_DEVICES",
  "NVIDIA_DRIVER_CAPABILITIES",
  "GLEANER_TEST_PRIORITY",
];

/** Windows finds its libraries and drivers by these. It ignores case in names. */
const passedOnWindows: readonly string[] = [
  "COMMONPROGRAMFILES",
  "NUMBER_OF_PROCESSORS",
  "PROCESSOR_ARCHITECTURE",
  "PROCESSOR_IDENTIFIER",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "SYSTEMDRIVE",
];

/** At most this much is kept of what a graphics driver has compiled, in bytes. */
const cacheBytes = 256 * 1024 * 1024;

/**
 * The whole environment of a runner. Everything else that the donor was started with stays out: codes, tokens, proxies,
 * the addresses of agents and buses.
 * @param cache the folder that drivers use in place of the person's own folders; null for none.
 */
export function runnerEnvironment(
  env: Environment,
  platform: NodeJS.Platform,
  cache: string | null,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0], platform),
  );
  return {
    ...Object.fromEntries(kept),
    // Its system call is refused in a confined process.
    UV_USE_IO_URING: "0",
    ...foldersIn(cache, platform),
    ...(platform === "win32" ? windowsPaths(env) : { PATH: "/usr/bin:/bin" }),
  };
}

function isPassed(name: string, platform: NodeJS.Platform): boolean {
  if (platform === "win32" && passedOnWindows.includes(name.toUpperCase())) return true;
  return passed.some((each) => (typeof each === "string" ? each === name : each.test(name)));
}

function foldersIn(cache: string | null, platform: NodeJS.Platform): Readonly<Record<string, string>> {
  if (cache === null) return platform === "win32" ? {} : { HOME: "/nonexistent" };
  const home =
    platform === "win32" ? { USERPROFILE: cache, LOCALAPPDATA: cache, APPDATA: cache } : { HOME: cache };
  return {
    ...home,
    TMPDIR: cache,
    TEMP: cache,
    TMP: cache,
    XDG_CACHE_HOME: cache,
    CUDA_CACHE_PATH: join(cache, "cuda"),
    CUDA_CACHE_MAXSIZE: String(cacheBytes),
    MESA_SHADER_CACHE_DIR: cache,
    MESA_SHADER_CACHE_MAX_SIZE: "256M",
  };
}

/** Windows searches the path for libraries too: of it only what an administrator has installed. */
function windowsPaths(env: Environment): Readonly<Record<string, string>> {
  const root = systemRoot(env);
  const find = (wanted: string): string | undefined =>
    Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];
  const installed = [root, find("PROGRAMFILES") ?? "C:\\Program Files"].map(
    (folder) => `${folder.toLowerCase()}\\`,
  );
  const path = (find("PATH") ?? "")
    .split(";")
    .filter(
      (folder) => !folder.includes("..") && installed.some((each) => folder.toLowerCase().startsWith(each)),
    );
  return { SystemRoot: root, windir: root, PATH: [`${root}\\System32`, ...path].join(";") };
}

/** More GPUs than a computer has. */
const mostGpus = 64;

/**
 * Hides GPUs from CUDA in the runner; empty if none is denied. CUDA stops reading the list at the first number that is
 * not a GPU, so the real count need not be known.
 * @param denied numbers as the system's own tools show them, in the order of the bus.
 */
export function gpuEnvironment(denied: readonly number[]): Readonly<Record<string, string>> {
  if (denied.length === 0) return {};
  const allowed = Array.from({ length: mostGpus }, (_, index) => index).filter(
    (index) => !denied.includes(index),
  );
  return { CUDA_DEVICE_ORDER: "PCI_BUS_ID", CUDA_VISIBLE_DEVICES: allowed.join(",") };
}

/**
 * Tells the runner in which folder npm has put CUDA's libraries: GLEANER_CUDA, or `cuda` beside the device's key. They
 * are too large to ship with the program.
 */
export function cudaEnvironment(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Readonly<Record<"GLEANER_CUDA", string>> {
  return { GLEANER_CUDA: env["GLEANER_CUDA"] ?? join(dataDir, "cuda") };
}

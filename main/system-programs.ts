import { existsSync } from "node:fs";

/**
 * Linux' folders of the system's own programs, in which only an administrator can write. The last ones: NixOS, WSL, and
 * containers with NVIDIA's programs.
 */
const folders = [
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/run/current-system/sw/bin",
  "/usr/lib/wsl/lib",
  "/usr/local/nvidia/bin",
] as const;

/** The system's programs that Gleaner starts. On Windows each has its place below the system's folder. */
const windowsPlaces = {
  "nvidia-smi": "System32\\nvidia-smi.exe",
  powershell: "System32\\WindowsPowerShell\\v1.0\\powershell.exe",
  reg: "System32\\reg.exe",
  tasklist: "System32\\tasklist.exe",
} as const;

export type SystemProgram =
  | keyof typeof windowsPlaces
  | "bwrap"
  | "chrt"
  | "ionice"
  | "nice"
  | "nvidia-modprobe"
  | "prlimit"
  | "setpriv"
  | "taskset"
  | "true";

/**
 * The full path of a program of the system, so that no planted program of the same name is started: on Windows the
 * current folder comes before the search path, and users can change that path everywhere. A program that is missing gets
 * a path at which nothing is.
 */
export function systemProgram(
  name: SystemProgram,
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  exists: (path: string) => boolean = existsSync,
): string {
  if (platform === "win32") {
    const place =
      name in windowsPlaces ? windowsPlaces[name as keyof typeof windowsPlaces] : `System32\\${name}.exe`;
    return `${systemRoot(env)}\\${place}`;
  }
  return folders.map((folder) => `${folder}/${name}`).find(exists) ?? `${folders[0]}/${name}`;
}

/**
 * An environment in which only programs of the system's own folders are found, whatever this process was started with.
 * For libraries that start programs by the search path. Nothing else of this process's environment is in it, because a
 * variable can also name a program, or be a function of a shell.
 */
export function systemEnvironment(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  if (platform === "darwin") return { PATH: folders.slice(0, 4).join(":") };
  if (platform !== "win32") return { PATH: folders.join(":") };
  const root = systemRoot(env);
  const system = `${root}\\System32`;
  const passed = ["TEMP", "TMP", "USERPROFILE"].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    // PowerShell and Node write there.
    ...Object.fromEntries(passed),
    SystemRoot: root,
    windir: root,
    ComSpec: `${system}\\cmd.exe`,
    PATH: [system, `${system}\\WindowsPowerShell\\v1.0`].join(";"),
    PATHEXT: ".EXE",
    // Without this, cmd.exe looks into the current folder first.
    NoDefaultCurrentDirectoryInExePath: "1",
  };
}

/** Windows' folder. A value that is no folder of a local drive is not believed. */
export function systemRoot(env: Readonly<Record<string, string | undefined>>): string {
  const found = env["SystemRoot"] ?? env["windir"] ?? "";
  return /^[A-Za-z]:(\\[^\\/:*?"<>|]+)+$/.test(found) && !found.includes("\\..") ? found : "C:\\Windows";
}

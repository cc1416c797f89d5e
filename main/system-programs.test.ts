import { expect, it } from "vitest";
import { systemEnvironment, systemProgram } from "./system-programs.ts";

const everywhere = (): boolean => true;

it.each([
  ["powershell", "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe"],
  ["reg", "C:\\Windows\\System32\\reg.exe"],
  ["tasklist", "C:\\Windows\\System32\\tasklist.exe"],
  ["nvidia-smi", "C:\\Windows\\System32\\nvidia-smi.exe"],
] as const)("starts Windows' %s by its full path", (name, path) => {
  expect(systemProgram(name, "win32", { SystemRoot: "C:\\Windows" }, everywhere)).toBe(path);
});

it.each([
  [undefined, "C:\\Windows"],
  ["D:\\WINNT", "D:\\WINNT"],
  ["\\\\attacker\\share", "C:\\Windows"],
  ["Windows", "C:\\Windows"],
  ["C:\\Windows\\..\\Users\\me", "C:\\Windows"],
  ["", "C:\\Windows"],
])("reads %s as Windows' folder %s", (SystemRoot, folder) => {
  expect(systemProgram("reg", "win32", { SystemRoot }, everywhere)).toBe(`${folder}\\System32\\reg.exe`);
});

it.each([
  ["setpriv", ["/bin/setpriv", "/usr/bin/setpriv"], "/usr/bin/setpriv"],
  ["taskset", ["/run/current-system/sw/bin/taskset"], "/run/current-system/sw/bin/taskset"],
  ["nvidia-smi", ["/usr/lib/wsl/lib/nvidia-smi"], "/usr/lib/wsl/lib/nvidia-smi"],
  ["ionice", ["/home/me/bin/ionice"], "/usr/bin/ionice"],
] as const)("finds %s only in Linux' own folders", (name, there, path) => {
  const exists = (each: string): boolean => (there as readonly string[]).includes(each);
  expect(systemProgram(name, "linux", { PATH: "/home/me/bin" }, exists)).toBe(path);
});

it.each(["linux", "darwin"] as const)(
  "gives programs on %s nothing but the system's search path",
  (platform) => {
    const found = systemEnvironment(platform, {
      PATH: "/home/me/bin",
      BASH_ENV: "/home/me/planted",
      HOME: "/home/me",
    });
    expect(Object.keys(found)).toEqual(["PATH"]);
    expect(found["PATH"]?.split(":")).toEqual(
      expect.arrayContaining(["/usr/bin", "/bin", "/usr/sbin", "/sbin"]),
    );
    expect(found["PATH"]).not.toMatch(/home|(^|:)[^/]|:(:|$)/);
  },
);

it("gives programs on Windows the system's search path and shell, and no current folder", () => {
  const env = {
    PATH: "C:\\Users\\me\\bin",
    ComSpec: "C:\\Users\\me\\cmd.exe",
    SystemRoot: "D:\\WINNT",
    TEMP: "D:\\t",
  };
  expect(systemEnvironment("win32", env)).toEqual({
    TEMP: "D:\\t",
    SystemRoot: "D:\\WINNT",
    windir: "D:\\WINNT",
    ComSpec: "D:\\WINNT\\System32\\cmd.exe",
    PATH: "D:\\WINNT\\System32;D:\\WINNT\\System32\\WindowsPowerShell\\v1.0",
    PATHEXT: ".EXE",
    NoDefaultCurrentDirectoryInExePath: "1",
  });
});

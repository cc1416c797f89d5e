import { expect, it } from "vitest";
import { systemProgram } from "./system-programs.ts";

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

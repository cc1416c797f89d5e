import { expect, it } from "vitest";
import type { Native } from "../confine/native.ts";
import { forbidCrashReports } from "./crash-reports.ts";

/** A system that lacks some functions. Records the calls of the others. */
function fakeSystem(missing: readonly string[] = []) {
  const called: unknown[] = [];
  const func = (library: string) => (prototype: string) => {
    const name = /(\w+)\(/.exec(prototype)?.[1] ?? "";
    if (missing.includes(name)) throw new Error("not found");
    return (...args: readonly unknown[]) => void called.push([library, name, ...args]);
  };
  const open = (name: string | null) => ({ func: func(name ?? "") });
  return { called, calls: () => ({ open, errno: () => 0 }) as unknown as Native };
}

it("forbids Windows' reports, reports with the heap, and reports of abort()", () => {
  const { called, calls } = fakeSystem();
  forbidCrashReports("win32", calls);
  expect(called).toEqual([
    ["kernel32.dll", "SetErrorMode", 0x8003],
    ["kernel32.dll", "WerSetFlags", 0x21],
    ["ucrtbase.dll", "_set_abort_behavior", 0, 0x3],
  ]);
});

it("goes on after a function that a system lacks", () => {
  const { called, calls } = fakeSystem(["WerSetFlags"]);
  forbidCrashReports("win32", calls);
  expect(called).toHaveLength(2);
  expect(() => forbidCrashReports("win32", () => null)).not.toThrow();
});

it("forbids core dumps on macOS", () => {
  const { called, calls } = fakeSystem();
  forbidCrashReports("darwin", calls);
  expect(called).toEqual([["/usr/lib/libSystem.B.dylib", "setrlimit", 4, Buffer.alloc(16)]]);
});

it("leaves Linux to the program that starts it", () => {
  const { called, calls } = fakeSystem();
  forbidCrashReports("linux", calls);
  expect(called).toEqual([]);
});

import { describe, expect, it } from "vitest";
import { sandboxProfile } from "./macos/profile.ts";
import { integritySid, jobLimits, lowIntegrity, mitigations, powerThrottling } from "./windows/structures.ts";

describe("macOS' sandbox profile", () => {
  const order = {
    read: ["/Users/me/Library/Application Support/gleaner/models"],
    cache: null,
    bubblewrap: null,
    off: false,
  };
  const program = "/Applications/Gleaner.app/Contents";
  const entry = `${program}/Resources/app.asar/out/main/runner-process.js`;
  const execPath = `${program}/Frameworks/Gleaner Helper.app/Contents/MacOS/Gleaner Helper`;
  const profile = sandboxProfile(order, entry, execPath);

  it("denies everything that it does not list", () => {
    expect(profile).toContain("(deny default)");
    for (const absent of ["network", "process-exec", "process-fork", "file-write*", "(allow default)"]) {
      expect(profile).not.toContain(absent);
    }
  });

  it("reads the program and the models, and no folder of the person", () => {
    const read = /\(allow file-read\* (.*)\)/.exec(profile)?.[1] ?? "";
    expect(read).toContain('(subpath "/Applications/Gleaner.app")');
    expect(read.match(/"\/Users[^"]*"/g)).toEqual([`"${order.read[0]}"`]);
  });

  it("writes only to the cache", () => {
    const withCache = sandboxProfile({ ...order, cache: "/c" }, entry, execPath);
    expect(withCache).toContain('(allow file-read* file-write* (subpath "/c"))');
  });

  it("keeps a path with quotes one path", () => {
    const read = ['/a") (allow default) ("', "/b\\"];
    const odd = sandboxProfile({ ...order, read }, entry, execPath);
    expect(odd).toContain('(subpath "/a\\") (allow default) (\\"")');
    expect(odd).toContain('(subpath "/b\\\\")');
  });

  it("has as many closing as opening brackets outside of strings", () => {
    const bare = profile.replace(/"(?:[^"\\]|\\.)*"/g, "");
    expect(bare.split("(").length).toBe(bare.split(")").length);
  });

  it("reads a checkout's program, not the checkout", () => {
    const source = sandboxProfile(
      order,
      "/Users/me/gleaner/main/runner/runner-process.ts",
      "/opt/homebrew/bin/node",
    );
    expect(source).toContain('(subpath "/Users/me/gleaner/main")');
    expect(source).not.toContain('(subpath "/Users/me/gleaner")');
  });
});

describe("Windows' structures", () => {
  it("writes the low integrity level as S-1-16-4096", () => {
    expect(integritySid(lowIntegrity).toString("hex")).toBe("010100000000001000100000");
  });

  it("limits a job to one process, which ends without a dialog", () => {
    const bytes = jobLimits(1);
    expect(bytes.length).toBe(144);
    expect(bytes.readUInt32LE(16)).toBe(0x408);
    expect(bytes.readUInt32LE(40)).toBe(1);
  });

  it("asks for efficiency", () => {
    expect(powerThrottling().toString("hex")).toBe("010000000100000001000000");
  });

  it("knows the numbers of its policies", () => {
    expect(mitigations).toEqual({
      extensionPoints: [6, 1],
      fonts: [9, 1],
      images: [10, 7],
      children: [13, 1],
    });
  });
});

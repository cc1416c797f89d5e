import { describe, expect, it } from "vitest";
import { KilledJobs, startable } from "./killed-jobs.ts";

describe("KilledJobs", () => {
  it("allows two releases of a job, and forgets them when it succeeds", () => {
    const jobs = new KilledJobs();
    const release = () => jobs.mayRelease("a");
    expect([release(), release(), release()]).toEqual([true, true, false]);
    expect(jobs.mayRelease("b")).toBe(true);
    jobs.succeeded("a");
    expect(release()).toBe(true);
  });

  it("knows a suspect until it succeeds, or for an hour", () => {
    let now = 0;
    const jobs = new KilledJobs(() => now);
    jobs.suspect("a");
    jobs.suspect("b");
    jobs.succeeded("a");
    expect([jobs.isSuspect("a"), jobs.isSuspect("b")]).toEqual([false, true]);
    now = 3_600_001;
    expect(jobs.isSuspect("b")).toBe(false);
  });

  it("remembers a thousand jobs, the last ones", () => {
    const jobs = new KilledJobs();
    for (let job = 0; job < 1_001; job += 1) jobs.suspect(String(job));
    expect([jobs.isSuspect("0"), jobs.isSuspect("1"), jobs.isSuspect("1000")]).toEqual([false, true, true]);
  });
});

describe("startable", () => {
  it.each([
    ["a b", "", "a b"],
    ["a b", "c", "a b"],
    ["A b", "", "A"],
    ["A b", "c", ""],
    ["a B c", "", "a"],
    ["a B c", "d", "a"],
    ["A B", "", "A"],
    ["a b", "C", ""],
    ["", "C", ""],
  ])("of %j beside %j starts %j; capital letters are suspects", (waiting, running, starts) => {
    const read = (letters: string) =>
      letters
        .split(" ")
        .filter(Boolean)
        .map((letter) => ({ letter, suspect: letter !== letter.toLowerCase() }));
    const found = startable(read(waiting), read(running));
    expect(found.map(({ letter }) => letter).join(" ")).toBe(starts);
  });
});

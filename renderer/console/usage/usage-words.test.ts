import { expect, it } from "vitest";
import { figuresOfDays } from "../../../app/usage/figures.ts";
import { sumOfDays } from "../../../app/usage/months.ts";
import { dayAt, dayWords, rowName, seriesOfDays } from "./usage-words.ts";

const none = figuresOfDays(sumOfDays([], 0));

it("names days of UTC, others, and those without an owner", () => {
  expect(dayWords(dayAt("2027-01-15"))).toBe("Fri, Jan 15");
  expect(rowName("day", { subject: "2027-01-15", name: null })).toBe("Fri, Jan 15");
  expect(rowName("key", { subject: "", name: null })).toBe("All others");
  expect(rowName("team", { subject: "none", name: null })).toBe("Keys of no team");
  expect(rowName("member", { subject: "none", name: null })).toBe("Keys of no member");
  expect(rowName("group", { subject: "none", name: null })).toBe("No group");
  expect(rowName("key", { subject: "k1", name: null })).toBe("Deleted");
  expect(rowName("key", { subject: "k1", name: "Nightly" })).toBe("Nightly");
});

it("shows every day, with 0 for those without jobs", () => {
  const rows = [{ subject: "2027-01-14", name: null, ...none, jobs: 3 }];
  const { times, values } = seriesOfDays(rows, 3, Date.UTC(2027, 0, 15, 12), ({ jobs }) => jobs);
  expect(values).toEqual([0, 3, 0]);
  expect(times.at(-1)).toBe(Date.UTC(2027, 0, 15));
  expect(seriesOfDays(rows, 3, Date.UTC(2027, 0, 15), ({ jobs }) => jobs).values).toEqual([0, 0, 3]);
});

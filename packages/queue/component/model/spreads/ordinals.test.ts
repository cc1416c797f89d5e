import { expect, it } from "vitest";
import { ordinalsOf } from "./width.ts";

it("counts earlier jobs with the same lane and affinity, and 0 without an affinity", () => {
  const job = (lane: string, affinity?: string) => ({ lane, affinity });
  const jobs = [
    job("a", "x"),
    job("a", "x"),
    job("b", "x"),
    job("a"),
    job("a", "y"),
    job("a"),
    job("a", "x"),
  ];
  expect(ordinalsOf(jobs)).toEqual([0, 1, 0, 0, 0, 0, 2]);
});

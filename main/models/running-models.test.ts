import { expect, it } from "vitest";
import { RunningModels } from "./running-models.ts";

it("lists the models that jobs used since the runner started", () => {
  let up = false;
  const running = new RunningModels(() => up);
  expect(running.now()).toEqual(new Set());
  running.used("a");
  // The runner is about to start.
  expect(running.now()).toEqual(new Set(["a"]));
  up = true;
  running.used("b");
  expect(running.now()).toEqual(new Set(["a", "b"]));
  up = false;
  running.used("c");
  expect(running.now()).toEqual(new Set(["c"]));
});

import { expect, it } from "vitest";
import { confinementLines } from "./facts.ts";

it("tells how far the model's process is confined, and what the system could not give", () => {
  expect(
    confinementLines({
      confinement: [
        { part: "files", confined: "no", why: "this kernel has no Landlock, or it is switched off" },
        { part: "network", confined: "yes", why: null },
        { part: "programs", confined: "yes", why: null },
        { part: "systemCalls", confined: "yes", why: null },
      ],
    }),
  ).toEqual([
    "Confinement of the model's process: files no, network yes, other programs yes, system calls yes",
    "  This kernel has no Landlock, or it is switched off.",
  ]);
});

it("tells before the first start that nothing is known yet", () => {
  expect(confinementLines({ confinement: null })).toEqual([
    "Confinement of the model's process: known when it has started for the first time",
  ]);
  expect(confinementLines({})).toEqual([]);
});

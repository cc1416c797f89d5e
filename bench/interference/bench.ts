import { startDeployment } from "../../main/deployment.fixture.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { machineLine, machineNow } from "../support/machine.ts";
import { tableRow } from "../support/rows.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { interferenceBars, interferenceFigures, tasks } from "./figures.ts";
import { startForeground } from "./foreground.ts";
import { afterYield, duringWork } from "./measure.ts";

/** The time limits of both parts. With the start and the last trial, all ends within five minutes. */
const duringMs = 105_000;
const afterMs = 130_000;

export const interferenceBench: Bench = {
  summary: "how much a donor slows a person's programs down, while it works and just after it yielded",
  run: async (rounds, say) => {
    const machine = roundedNumbers(machineNow());
    const deployment = await startDeployment("slow");
    const foreground = await startForeground();
    const subject = { deployment, foreground, rounds, say };
    try {
      say("with a donor within its in-use limits");
      const inUse = await duringWork({ ...subject, withinMs: duringMs });
      say("just after it yielded");
      const after = await afterYield({ ...subject, withinMs: afterMs });
      const figures = roundedNumbers(interferenceFigures(inUse, after));
      const row = (label: string, spread: (typeof figures)["quartiles"]["inUse"]): string =>
        tableRow(
          label,
          tasks.map((task) => spread[task]?.map((each) => each.toFixed(1)).join("  ") ?? "–"),
        );
      const text = [
        machineLine(machine),
        tableRow(`slower by, %: quartiles of ${figures.pairs} pairs or more`, [...tasks]),
        row("with a donor within its in-use limits", figures.quartiles.inUse),
        row("just after it yielded", figures.quartiles.afterYield),
        row("without any donor", figures.quartiles.withoutDonor),
        "",
        ...barLines(interferenceBars(figures)),
      ].join("\n");
      return { json: { ...figures, machine }, text };
    } finally {
      await foreground.stop();
      await deployment.stop();
    }
  },
};

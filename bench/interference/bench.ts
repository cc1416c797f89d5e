import { startDeployment } from "../../main/deployment.fixture.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { interferenceBars, interferenceFigures } from "./figures.ts";
import { startForeground } from "./foreground.ts";
import { afterYield, duringWork, tasks } from "./measure.ts";

export const interferenceBench: Bench = {
  summary: "how much a donor slows a person's programs down, while it works and just after it yielded",
  run: async (rounds, say) => {
    const deployment = await startDeployment("slow");
    const foreground = await startForeground();
    try {
      say("with a donor within its in-use limits");
      const inUse = await duringWork(deployment, foreground, rounds);
      say("just after it yielded");
      const after = await afterYield(deployment, foreground, rounds);
      const json = roundedNumbers(interferenceFigures(inUse, after));
      const text = [
        tableRow("slower by, %", [...tasks]),
        tableRow(
          "with a donor within its in-use limits",
          tasks.map((task) => json.inUse[task]),
        ),
        tableRow(
          "just after it yielded",
          tasks.map((task) => json.afterYield[task]),
        ),
        "",
        ...barLines(interferenceBars(json)),
      ].join("\n");
      return { json, text };
    } finally {
      await foreground.stop();
      await deployment.stop();
    }
  },
};

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import * as z from "zod";
import { type Chart, type Series, svgOf } from "../../scripts/chart/svg.ts";

const share = z.number().min(0).max(1);
const curve = z.object({
  kind: z.string(),
  together: z.number(),
  points: z.array(z.object({ accused: share, caught: share })),
  verdict: z.object({ accused: share, caught: share }),
});
const figures = z.object({ curves: z.array(curve) });
type Curve = z.infer<typeof curve>;

/** Of models and of texts. All random words are caught, and of models with 5 and 6 bits nearly no answer. */
const kinds = [
  { kind: "another model", isText: false },
  { kind: "a similar model", isText: false },
  { kind: "4 bits", isText: false },
  { kind: "another question's", isText: true },
  { kind: "another seed's", isText: true },
  { kind: "cut in half", isText: true },
] as const;

/** A logarithmic axis has no 0. Smaller shares are drawn here. */
const leastShare = 0.001;
const percent = (value: number): string => `${String(Number((100 * value).toPrecision(2)))} %`;

/** A curve goes up where another honest answer is accused, as no threshold lies between. */
function seriesOf({ kind, points, verdict }: Curve, isText: boolean): Series {
  const at = ({ accused, caught }: Curve["verdict"]) => ({ x: Math.max(leastShare, accused), y: caught });
  const corners = [...points, { accused: 1, caught: 1 }].map(at);
  const steps = corners.flatMap((corner, index) => {
    const before = corners[index - 1];
    return before === undefined ? [corner] : [{ x: corner.x, y: before.y }, corner];
  });
  return { name: kind, dashed: isText, points: steps, mark: at(verdict) };
}

function chartOf(curves: readonly Curve[], title: string): Chart {
  const series = kinds.flatMap(({ kind, isText }) =>
    curves.filter((each) => each.kind === kind).map((each) => seriesOf(each, isText)),
  );
  return {
    title,
    x: {
      label: "honest answers that are accused",
      scale: "log",
      tick: (value) => `${value === leastShare ? "≤ " : ""}${percent(value)}`,
    },
    y: { label: "wrong answers that are caught", scale: "share", tick: percent },
    series,
    note: "● the verdict",
  };
}

const charts = [
  { file: "trust-roc-one.svg", together: 1, title: "One answer" },
  { file: "trust-roc-ten.svg", together: 10, title: "Ten answers of a device together" },
] as const;

/** Draws the curves of the benchmark's JSON, which it reads, into the folder that it is given. */
async function main(): Promise<void> {
  const [folder] = process.argv.slice(2);
  if (folder === undefined)
    throw new Error("npm run -s bench -- trust --json | node bench/trust/draw-roc.ts FOLDER");
  const { curves } = figures.parse(await json(process.stdin));
  for (const { file, together, title } of charts) {
    const some = curves.filter((each) => each.together === together);
    await writeFile(join(folder, file), svgOf(chartOf(some, title)));
    console.log(join(folder, file));
  }
}

await main();

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod";
import { expositionOf } from "../../app/statistics/exposition.ts";
import { type DeviceState, deviceStates, metricsOf } from "../../app/statistics/metrics.ts";
import { type ParsedMetric, parseExposition } from "../../app/statistics/parse-exposition.fixture.ts";
import { sketchOf } from "../../app/statistics/sketch.ts";
import { emptyTally } from "../../app/statistics/tally.ts";

const source = z.object({ type: z.literal("prometheus"), uid: z.literal("${datasource}") });
const board = z
  .object({
    templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() }).loose()) }),
    panels: z.array(
      z.object({
        id: z.number(),
        title: z.string(),
        datasource: source,
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(z.object({ datasource: source, expr: z.string(), legendFormat: z.string() })),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(resolve(import.meta.dirname, "../../docs/grafana/gleaner.json"), "utf8")));

/** Every series that `/metrics` has, with one model and one lane. */
const emitted: ReadonlyMap<string, ParsedMetric> = parseExposition(
  expositionOf(
    metricsOf({
      models: [{ subject: "m", tally: { ...emptyTally(), wait: sketchOf([1]), run: sketchOf([1]) } }],
      lanes: [{ laneId: "l", kind: "chat", model: "m", ready: 1, waiting: 0, running: 0, oldestReadyAt: 1 }],
      devices: Object.fromEntries(deviceStates.map((state) => [state, 0])) as Record<DeviceState, number>,
      held: { keys: 0n, escrow: 0n, devices: 0n },
    }),
  ),
);
const samples = [...emitted.values()].flatMap((metric) => metric.samples);

const expressions = [
  ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...board.templating.list.flatMap(({ definition }) => (typeof definition === "string" ? [definition] : [])),
];

const selectors = expressions.flatMap((expr) =>
  [...expr.matchAll(/(gleaner_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", matchers = ""]) => ({
    name,
    matchers: [...matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].map(
      ([, label = "", operator = "", value = ""]) => ({ label, operator, value }),
    ),
  })),
);

it("the Grafana board asks only for metrics, labels and values that /metrics has", () => {
  expect(selectors.length).toBeGreaterThan(15);
  for (const { name, matchers } of selectors) {
    const found = samples.filter((sample) => sample.name === name);
    expect(found, name).not.toEqual([]);
    for (const { label, operator, value } of matchers) {
      // Prometheus adds the job, and the board fills in its variables.
      if (label === "job" || value.startsWith("$")) continue;
      const values = found.map(({ labels }) => labels[label]);
      const wanted = operator === "=~" ? value.split("|") : [value];
      expect(values, `${name} by ${label}`).toEqual(expect.arrayContaining(wanted));
    }
  }
});

it("the board groups and names by labels that its metrics have", () => {
  for (const { targets } of board.panels) {
    for (const { expr, legendFormat } of targets) {
      const [, name = ""] = /(gleaner_\w+)/.exec(expr) ?? [];
      const labels = samples.find((sample) => sample.name === name)?.labels ?? {};
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      expect(Object.keys(labels), expr).toEqual(expect.arrayContaining([...grouped, ...shown]));
      expect(grouped, expr).toEqual(expect.arrayContaining(shown));
    }
  }
});

it("the board shows every metric", () => {
  const asked = selectors.map(({ name }) => name.replace(/_bucket$/, ""));
  expect([...emitted.keys()].filter((name) => !asked.includes(name))).toEqual([]);
});

it("the board has a variable for its data source, and panels that do not overlap", () => {
  expect(board.templating.list[0]).toMatchObject({ name: "datasource", type: "datasource" });
  const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${String(x + (at % w))},${String(y + Math.floor(at / w))}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
});

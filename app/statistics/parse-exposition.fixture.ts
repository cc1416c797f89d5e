export type ParsedMetric = {
  readonly type: string;
  readonly help: string;
  readonly samples: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly value: number;
  }[];
};

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;

/**
 * Reads Prometheus' text format 0.0.4 as strictly as Prometheus does: each metric has HELP and TYPE before its samples, which
 * are together; no series comes twice; histograms are cumulative and complete. Throws an Error with the wrong line.
 */
export function parseExposition(text: string): Map<string, ParsedMetric> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const metrics = new Map<string, ParsedMetric>();
  const series = new Set<string>();
  let current = "";
  let help = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    if (line.startsWith("# HELP ")) {
      const [, , name = "", ...words] = line.split(" ");
      if (!metricName.test(name) || metrics.has(name)) fail("a wrong or repeated HELP");
      [current, help] = [name, words.join(" ")];
    } else if (line.startsWith("# TYPE ")) {
      const [, , name = "", type = ""] = line.split(" ");
      if (name !== current || metrics.has(name)) fail("a TYPE without its HELP");
      if (!["counter", "gauge", "histogram", "summary"].includes(type)) fail("an unknown type");
      if (type === "counter" && !name.endsWith("_total")) fail("a counter's name ends with _total");
      metrics.set(name, { type, help, samples: [] });
    } else {
      const [, name = "", labelText = "", number = ""] = sampleLine.exec(line) ?? fail("not a sample");
      const metric = metrics.get(current) ?? fail("a sample without TYPE");
      const suffix = name.slice(current.length);
      const suffixes = metric.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      if (!name.startsWith(current) || !suffixes.includes(suffix)) fail("a sample of another metric");
      const labels = labelsOf(labelText) ?? fail("wrong labels");
      const id = JSON.stringify([name, Object.entries(labels).sort()]);
      if (series.has(id)) fail("a repeated series");
      series.add(id);
      const value = Number(number.replace(/Inf$/, "Infinity"));
      if (Number.isNaN(value)) fail("not a number");
      metric.samples.push({ name, labels, value });
    }
  }
  for (const [name, metric] of metrics) if (metric.type === "histogram") checkHistogram(name, metric);
  return metrics;
}

/** The value of one series, whose labels are exactly these. Throws an Error without it. */
export function valueOf(
  metrics: ReadonlyMap<string, ParsedMetric>,
  name: string,
  labels: Readonly<Record<string, string>>,
): number {
  const wanted = JSON.stringify(Object.entries(labels).sort());
  for (const { samples } of metrics.values()) {
    for (const sample of samples) {
      if (sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted)
        return sample.value;
    }
  }
  throw new Error(`no series ${name} ${wanted}`);
}

function labelsOf(text: string): Record<string, string> | null {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < text.length) {
    const [, name = "", value = ""] = labelPair.exec(text) ?? [];
    if (name === "" || name in labels) return null;
    labels[name] = value.replaceAll(/\\(["\\n])/g, (_, mark: string) => (mark === "n" ? "\n" : mark));
  }
  return labels;
}

function checkHistogram(name: string, { samples }: ParsedMetric): void {
  const groups = new Map<string, { le: number; value: number }[]>();
  for (const sample of samples.filter((each) => each.name === `${name}_bucket`)) {
    const { le = "", ...labels } = sample.labels;
    const id = JSON.stringify(labels);
    groups.set(id, [
      ...(groups.get(id) ?? []),
      { le: le === "+Inf" ? Infinity : Number(le), value: sample.value },
    ]);
  }
  for (const [id, buckets] of groups) {
    const labels = JSON.parse(id) as Record<string, string>;
    const rises = buckets.every(({ le, value }, at) => {
      const before = buckets[at - 1];
      return before === undefined || (le > before.le && value >= before.value);
    });
    const count = valueOf(new Map([[name, { type: "", help: "", samples }]]), `${name}_count`, labels);
    const last = buckets.at(-1);
    if (!rises || last?.le !== Infinity || last.value !== count)
      throw new Error(`${name} ${id} is no histogram`);
  }
}

import { Counter, Gauge, type Registry } from "prom-client";

type Read = () => number | Promise<number>;

/** Adds a gauge that is read when the metrics are requested. */
export function gaugeOf(registry: Registry, name: string, help: string, read: Read): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => gauge.set(await read()),
  });
}

/** Adds a counter in the same way, for a count that is kept elsewhere. */
export function counterOf(registry: Registry, name: string, help: string, read: Read): void {
  const counter: Counter = new Counter({
    name,
    help,
    registers: [registry],
    collect: async () => {
      const value = await read();
      counter.reset();
      counter.inc(value);
    },
  });
}

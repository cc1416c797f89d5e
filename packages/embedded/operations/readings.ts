import { Counter, Gauge, type Registry } from "prom-client";

type Read = () => number | Promise<number>;

/** A gauge that is read when somebody asks for it. */
export function gaugeOf(registry: Registry, name: string, help: string, read: Read): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => gauge.set(await read()),
  });
}

/** The same for what only grows, and is counted elsewhere. */
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

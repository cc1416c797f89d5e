import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { IdleSensor } from "../base/idle.ts";

/** Of several sources that each see some of the input, the one that saw the latest. */
export function shortestIdle(sensors: readonly IdleSensor[]): IdleSensor {
  const knowing = (): readonly IdleSensor[] => sensors.filter((sensor) => sensor.sample().known);
  return {
    source: () => {
      const asked = knowing();
      return (asked.length === 0 ? sensors : asked).map((sensor) => sensor.source()).join(", ");
    },
    sample: (): Known<number> => {
      const seconds = sensors.flatMap((sensor) => {
        const value = sensor.sample();
        return value.known ? [value.value] : [];
      });
      return seconds.length === 0 ? unknown : known(Math.min(...seconds));
    },
    isPolled: () => sensors.some((sensor) => sensor.isPolled()),
    onInput: (listener) => {
      const stops = sensors.map((sensor) => sensor.onInput?.(listener));
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    start: (changed) => {
      for (const sensor of sensors) sensor.start?.(changed);
    },
    stop: () => {
      for (const sensor of sensors) sensor.stop?.();
    },
  };
}

import type { ConvexClient } from "convex/browser";
import { api } from "../api.ts";
import { countdown, withClients } from "../support/clients.ts";
import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";

const subscribers = 1_000;
const connections = 10;
const warmUp = 3;
const withinMs = 20_000;
const topic = "news";

/**
 * The time from sending a mutation until the last of 1,000 subscribers has its result, in ms. With `distinct`
 * each subscriber has its own arguments and its own run; otherwise those of a connection ask the same.
 */
export function measureFanout(url: string, rounds: number, distinct: boolean): Promise<number> {
  return withClients(url, 1 + connections, async ([publisher, ...readers]) => {
    if (publisher === undefined) throw new Error("There is no client.");
    const name = `${topic} ${distinct ? "for each" : "for all"}`;
    let told = countdown(subscribers);
    let edition = 0;
    for (let n = 0; n < subscribers; n += 1) {
      const reader = readers[n % connections] as ConvexClient;
      reader.onUpdate(api.topics.edition, { name, reader: distinct ? n : 0 }, (value) => {
        if (value === edition) told.arrived();
      });
    }
    await told.all;
    const times: number[] = [];
    for (const round of repetitions(rounds + warmUp, withinMs, { least: warmUp + 1 })) {
      edition += 1;
      told = countdown(subscribers);
      const began = performance.now();
      await Promise.all([publisher.mutation(api.topics.publish, { name, edition }), told.all]);
      if (round >= warmUp) times.push(performance.now() - began);
    }
    return median(times);
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import { type ConvexClient, ConvexHttpClient } from "convex/browser";
import { describe, expect, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { startCrashingBackend } from "./crashing-backend.ts";
import { isEmbedded, liveClient } from "./deployment.ts";
import { watch } from "./watch.ts";

const clientCount = 8;
const crashes = 10;
const timeLimitMs = 180_000;

/** The mutations that a client sends between two crashes and after the last: 250 each, 2,000 in all. */
const bursts = [...Array.from({ length: crashes }, () => 23), 20];

const each = <T>(make: (client: number) => T): T[] => Array.from({ length: clientCount }, (_, n) => make(n));
const bodiesOf = (client: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${client}: ${n}`);

describe.skipIf(!isEmbedded)("ten crashes under load", () => {
  test(
    "live clients' mutations take effect once despite ten crashes, and all subscriptions converge",
    { timeout: timeLimitMs },
    async () => {
      const backend = await startCrashingBackend();
      const clients = each(() => liveClient(backend.url));
      const channel = (client: number): string => `channel ${client % clientCount}`;
      // Each watches its own channel and its neighbor's.
      const watches = clients.flatMap((client, n) =>
        [n, n + 1].map((of) => ({
          of: of % clientCount,
          seen: watch(client, api.messages.list, { channel: channel(of) }),
        })),
      );
      const sent = each(() => 0);
      let acknowledged = 0;
      const answers: Promise<unknown>[] = [];
      /** All clients send. Resolves when half of the burst is acknowledged and the other half is not. */
      const halfOf = (burst: number): Promise<void> =>
        new Promise((resolve) => {
          const half = acknowledged + (clientCount * burst) / 2;
          const send = async (client: ConvexClient, n: number): Promise<void> => {
            const count = sent[n]!++;
            await client.mutation(api.messages.send, {
              channel: channel(n),
              body: `${n}: ${count}`,
              n: count,
            });
            acknowledged += 1;
            if (acknowledged >= half) resolve();
          };
          clients.forEach((client, n) => {
            for (let count = 0; count < burst; count += 1) answers.push(send(client, n));
          });
        });
      for (const burst of bursts.slice(0, crashes)) {
        await halfOf(burst);
        expect(acknowledged).toBeLessThan(answers.length);
        await backend.crash();
        // A client that is cut off before it has caught up waits longer each time, so let it catch up.
        await Promise.all(answers);
      }
      await halfOf(bursts[crashes]!);
      await Promise.all(answers);
      expect(answers).toHaveLength(2_000);
      const stored = await Promise.all(
        each((n) => new ConvexHttpClient(backend.url).query(api.messages.list, { channel: channel(n) })),
      );
      expect(stored).toEqual(each((n) => bodiesOf(n, 250)));
      for (const { of, seen } of watches) {
        const final = await seen.until((bodies) => bodies.length >= 250);
        expect(final).toEqual(bodiesOf(of, 250));
        expect(seen.errors).toEqual([]);
      }
    },
  );

  test(
    "mutations acknowledged over HTTP took effect exactly once despite ten crashes",
    { timeout: timeLimitMs },
    async () => {
      const backend = await startCrashingBackend();
      const acknowledged = each((): string[] => []);
      const lost = each((): string[] => []);
      let stopping = false;
      const send = async (n: number): Promise<void> => {
        const client = new ConvexHttpClient(backend.url, { logger: false });
        for (let count = 0; !stopping; count += 1) {
          const body = `${n}: ${count}`;
          const list = await client
            .mutation(api.messages.send, { channel: `channel ${n}`, body, n: count })
            .then(
              () => acknowledged,
              () => lost,
            );
          list[n]!.push(body);
          if (list === lost) await sleep(10);
        }
      };
      const sending = Promise.all(each(send));
      for (let crash = 1; crash <= crashes; crash += 1) {
        while (!acknowledged.every((bodies) => bodies.length >= crash * 20)) await sleep(1);
        await backend.crash();
      }
      stopping = true;
      await sending;
      expect(acknowledged.flat().length).toBeGreaterThanOrEqual(clientCount * crashes * 20);
      for (let n = 0; n < clientCount; n += 1) {
        const stored = await new ConvexHttpClient(backend.url).query(api.messages.list, {
          channel: `channel ${n}`,
        });
        expect(new Set(stored).size).toBe(stored.length);
        expect(acknowledged[n]!.filter((body) => !stored.includes(body))).toEqual([]);
        // A mutation without an answer may or may not have taken effect.
        expect(stored.filter((body) => !acknowledged[n]!.includes(body) && !lost[n]!.includes(body))).toEqual(
          [],
        );
      }
    },
  );
});

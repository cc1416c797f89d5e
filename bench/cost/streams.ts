import { cloud, type Site, withSite } from "../fleet/site.ts";
import { token } from "../fleet/tokens.ts";
import type { SideName } from "../side.ts";
import { totalsOf } from "../support/usage.ts";
import type { CostFigures } from "./figures.ts";

/** A laptop's speed with a small model. */
const tokensPerSecond = 40;

type StreamFigures = Pick<CostFigures, "bytesPerTokenAt100" | "bytesPerTokenAt1000" | "bytesPerFurtherToken">;

/** The bytes of all documents written for a watched answer, from submission to end. */
export function measureStreams(name: SideName, folder: string): Promise<StreamFigures> {
  return withSite(name, folder, cloud, async (site) => {
    let onCompleted: () => void = () => undefined;
    const fleet = await site.startWorkers(1, { onCompleted: () => onCompleted() });
    const bytesOf = async (number: number, tokens: number): Promise<number> => {
      await fleet.quiet();
      const usage = await site.counted(async () => {
        const completed = new Promise<void>((resolve) => (onCompleted = resolve));
        await answer(site, number, tokens);
        await completed;
        await fleet.quiet();
      });
      return totalsOf(usage).bytes;
    };
    await bytesOf(0, 10);
    const at100 = await bytesOf(1, 100);
    const at1000 = await bytesOf(2, 1_000);
    return {
      bytesPerTokenAt100: at100 / 100,
      bytesPerTokenAt1000: at1000 / 1_000,
      bytesPerFurtherToken: (at1000 - at100) / 900,
    };
  });
}

/** Resolves when the watcher has the whole text. */
async function answer(site: Site, number: number, tokens: number): Promise<void> {
  const whole = Array.from({ length: tokens }, (_, n) => token(n)).join("");
  const jobId = await site.submit({ number, kind: "answer", tokens, perSecond: tokensPerSecond });
  await new Promise<void>((resolve) => {
    const unwatch = site.side.watch(site.client, jobId, (text) => {
      if (text !== whole) return;
      unwatch();
      resolve();
    });
  });
}

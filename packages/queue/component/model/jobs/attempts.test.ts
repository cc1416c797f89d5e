import { expect, it } from "vitest";
import { queue, scope, startQueue, submitJob } from "../../testing/queue.fixture.ts";
import { addWorker, takeOne } from "../../testing/workers.fixture.ts";

it("a job that many workers gave back tells its newest 100 attempts, or fewer", async () => {
  const t = startQueue({ documentsRead: 300 });
  const jobId = await submitJob(t);
  await takeOne(t, await addWorker(t));
  await t.run(async (ctx) => {
    const [attempt, worker] = await Promise.all([
      ctx.db.query("attempts").first(),
      ctx.db.query("workers").first(),
    ]);
    const { _id, _creationTime, ...copied } = attempt!;
    const { _id: __, _creationTime: ___, ...another } = worker!;
    for (let number = 2; number <= 130; number += 1) {
      const keyHash = `hash ${String(number)}`;
      const workerId = await ctx.db.insert("workers", { ...another, keyHash });
      await ctx.db.insert("attempts", {
        ...copied,
        number,
        workerId,
        keyHash,
        status: "released",
        open: false,
      });
    }
  });
  const numbers = async (most?: number) => {
    const args = { scope, jobId, ...(most === undefined ? {} : { most }) };
    return (await t.query(queue.jobs.attempts, args)).map(({ number }) => number);
  };
  expect(await numbers()).toEqual(Array.from({ length: 100 }, (_, at) => at + 31));
  expect(await numbers(2)).toEqual([129, 130]);
  expect(await numbers(1_000)).toHaveLength(100);
});

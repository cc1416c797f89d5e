import { expect, test } from "vitest";
import { ThreadShare } from "./thread-share.ts";

/** A task that ends when it is told to, and its place in a list of what has started. */
function newTask(started: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const run = () => {
    started.push(name);
    return promise;
  };
  return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("no more tasks run than there are threads", async () => {
  const share = new ThreadShare<object>(2);
  const started: string[] = [];
  const [a, b, c] = ["a", "b", "c"].map((name) => newTask(started, name));
  const ended = [a, b, c].map((task) => share.run({}, task!.run));
  await settled();
  expect(started).toEqual(["a", "b"]);
  b!.end();
  await settled();
  expect(started).toEqual(["a", "b", "c"]);
  a!.end();
  c!.end();
  expect(await Promise.all(ended)).toEqual(["a", "b", "c"]);
});

test("many tasks of one owner run one after the other, and let another owner's task go between", async () => {
  const share = new ThreadShare<object>(1);
  const started: string[] = [];
  const [greedy, modest] = [{}, {}];
  const tasks = ["first", "second", "third"].map((name) => newTask(started, name));
  const other = newTask(started, "other");
  const ended = tasks.map((task) => share.run(greedy, task.run));
  const otherEnded = share.run(modest, other.run);
  for (const task of [tasks[0]!, other, tasks[1]!, tasks[2]!]) {
    await settled();
    task.end();
  }
  await Promise.all([...ended, otherEnded]);
  expect(started).toEqual(["first", "other", "second", "third"]);
});

test("a task that fails frees its thread, and its owner's next task runs", async () => {
  const share = new ThreadShare<object>(1);
  const started: string[] = [];
  const owner = {};
  const [bad, good] = [newTask(started, "bad"), newTask(started, "good")];
  const failed = share.run(owner, bad.run);
  const ended = share.run(owner, good.run);
  bad.fail();
  good.end();
  await expect(failed).rejects.toThrow("bad");
  expect(await ended).toBe("good");
});

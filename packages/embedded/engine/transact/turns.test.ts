import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("tasks beyond the limit wait, and start in the order in which they came, also after a failure", async () => {
  const turns = new Turns(2);
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const task = (name: string): Promise<string> =>
    turns.run(() => {
      started.push(name);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.resolve(name);
    await results[name];
  };
  const results: Record<string, Promise<string>> = { a: task("a"), b: task("b"), c: task("c"), d: task("d") };
  expect(started).toEqual(["a", "b"]);
  await end("b");
  expect(started).toEqual(["a", "b", "c"]);
  ends.get("a")?.reject(new Error("a failed"));
  await expect(results["a"]).rejects.toThrow("a failed");
  expect(started).toEqual(["a", "b", "c", "d"]);
  await end("c");
  await end("d");
  // All turns are free again.
  for (const name of ["e", "f"]) results[name] = task(name);
  expect(started.slice(4)).toEqual(["e", "f"]);
  await end("e");
  await end("f");
});

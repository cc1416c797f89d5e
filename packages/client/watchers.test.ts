import { afterEach, expect, it, vi } from "vitest";
import { Gleaner } from "./gleaner.ts";

const subscribed = vi.hoisted(() => vi.fn(() => (): void => undefined));

// A deployment that has nothing new for anybody.
vi.mock(import("convex/browser"), async (original) => ({
  ...(await original()),
  ConvexClient: class {
    async mutation(): Promise<void> {}
    onUpdate = subscribed;
    async close(): Promise<void> {}
  } as never,
}));

const batch = {
  id: "b",
  status: "in_progress",
  endpoint: "/v1/chat/completions",
  created_at: 1,
  expires_at: 2,
  output_file_id: "f",
  error_file_id: null,
  request_counts: { total: 3, completed: 2, failed: 0 },
  errors: null,
};
const lineOf = (id: string): string =>
  JSON.stringify({ custom_id: id, response: { status_code: 200, body: "yes" }, error: null });
const bodies: Readonly<Record<string, string>> = {
  "/config": '{"deploymentUrl":"https://gleaner.example"}',
  "/v1/batches/b": JSON.stringify(batch),
  "/v1/files/f/content": `${lineOf("q1")}\n${lineOf("q2")}\n`,
};

const clientOf = (): Gleaner =>
  new Gleaner({
    url: "https://gleaner.example",
    apiKey: "key",
    fetch: async (url, init) =>
      await new Promise((resolve, reject) => {
        const body = bodies[new URL(url as string).pathname];
        // A server that is silent about all others.
        if (body !== undefined) resolve(new Response(body));
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      }),
  });

const closed = { name: "GleanerError", code: "closed" };

afterEach(() => {
  vi.restoreAllMocks();
  subscribed.mockClear();
});

it("ends the watchers of batches when it is closed, whatever they wait for", async () => {
  const gleaner = clientOf();
  const [pausing, reading, answers] = [
    gleaner.batches.watch("b"),
    gleaner.batches.watch("b"),
    gleaner.batches.answers("b"),
  ];
  expect((await pausing.next()).value?.id).toBe("b");
  expect((await reading.next()).value?.id).toBe("b");
  expect((await answers.next()).value).toMatchObject({ id: "q1" });
  const ends = [pausing.next(), gleaner.batches.watch("silent").next()];
  const rejections = ends.map(async (end) => await expect(end).rejects.toMatchObject(closed));
  await gleaner.close();
  await Promise.all(rejections);
  // These readers come back later. The second answer has been read already.
  await expect(reading.next()).rejects.toMatchObject(closed);
  await expect(answers.next()).rejects.toMatchObject(closed);
  expect((await gleaner.batches.watch("b").next()).value?.id).toBe("b");
});

it("ends each of many watchers, none of which listens to the signal of another", async () => {
  // Node 20 warns of more than ten listeners at one signal. Later versions do not.
  const listened = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const gleaner = clientOf();
  // They also share the signal of their reader.
  const { signal } = new AbortController();
  const ends = Array.from({ length: 12 }, async (_, index) => {
    await expect(gleaner.watch(`j${String(index)}`, signal).next()).rejects.toMatchObject(closed);
  });
  await expect.poll(() => subscribed.mock.calls.length).toBe(12);
  const signals = listened.mock.contexts;
  expect(signals.length).toBeGreaterThanOrEqual(12);
  expect(new Set(signals).size).toBe(signals.length);
  await gleaner.close();
  await Promise.all(ends);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isEmbedded } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { push } from "./push.ts";

const harmless = `import { queryGeneric as query } from "convex/server";
  export const ping = query({ handler: () => "pong" });`;

/** Each does something that is still to come when its module has been evaluated. */
const modules: Readonly<Record<string, string>> = {
  "a rejection that nobody handles": 'void Promise.reject(new Error("hostile"));',
  "a rejection after a while": 'void Promise.resolve().then(() => Promise.reject(new Error("hostile")));',
  "a microtask that throws": 'queueMicrotask(() => { throw new Error("hostile"); });',
  "a listener that throws": `const target = new EventTarget();
    target.addEventListener("x", () => { throw new Error("hostile"); });
    target.dispatchEvent(new Event("x"));`,
  "a stream whose pull throws": `void new Response(new ReadableStream({ pull: () => { throw new Error("hostile"); } })).text();`,
  // A chain would fill the memory first.
  "promises without end": "const next = (): void => void Promise.resolve().then(next); next();",
  "microtasks without end": "const next = (): void => queueMicrotask(next); next();",
  "an object that resolves itself":
    "const object: { then?: unknown } = {}; object.then = Promise.resolve.bind(Promise, object); void Promise.resolve(object);",
  "events without end": `const target = new EventTarget();
    const dispatch = target.dispatchEvent.bind(target, new Event("x"));
    target.addEventListener("x", (queueMicrotask as any).bind(null, dispatch));
    dispatch();`,
  "a list without end that is piped": `const next = Array.prototype.at.bind([{ done: false, value: 1 }], 0);
    void (ReadableStream as any).from({ [Symbol.iterator]: () => ({ next }) }).pipeTo(new WritableStream());`,
};

// On Convex each would need a deploy, and its limits are its own.
describe.skipIf(!isEmbedded)("a module that is pushed cannot harm others", () => {
  let backend: Awaited<ReturnType<typeof startEmbedded>>;
  beforeAll(async () => {
    backend = await startEmbedded();
  });
  afterAll(() => backend.stop());

  async function ping(path: string): Promise<unknown> {
    const response = await fetch(`${backend.url}/api/query`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ path, args: {}, format: "json" }),
    });
    return response.json();
  }

  test.each(Object.entries(modules))("%s", async (_, source) => {
    await push(backend, { "hostile.ts": `${harmless}\n${source}`, "other.ts": harmless }).catch(() => null);
    // Its own function may fail, since each run evaluates the module.
    await ping("hostile:ping");
    expect(await ping("other:ping")).toMatchObject({ status: "success", value: "pong" });
    expect(backend.process.exitCode).toBe(null);
  });

  test("a function fails with the rejection that its module leaves behind", async () => {
    await push(backend, { "hostile.ts": `${harmless}\nvoid Promise.reject(new Error("at load"));` });
    expect(await ping("hostile:ping")).toMatchObject({
      status: "error",
      errorMessage: expect.stringContaining("at load"),
    });
  });
});

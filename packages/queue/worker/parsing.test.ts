import { expect, it } from "vitest";
import * as z from "zod";
import type { JobContext } from "./contract/handler.ts";
import { parsing } from "./parsing.ts";

const ctx = {} as JobContext;
const handler = parsing(z.object({ file: z.string().trim() }), async ({ file }) => `did ${file}`);

it("passes the parsed payload to the handler", async () => {
  expect(await handler({ file: " a.txt " }, ctx)).toBe("did a.txt");
});

it("fails a job for good when its payload does not fit, and names the field", async () => {
  await expect(handler({ file: 7 }, ctx)).rejects.toMatchObject({
    code: "invalid",
    retryable: false,
    message: expect.stringContaining("file: ") as unknown,
  });
});

import { expect, it } from "vitest";
import { z } from "zod";
import type { JobContext } from "./handler.ts";
import { parsing } from "./parsing.ts";

const ctx = {} as JobContext;
const handler = parsing(z.object({ file: z.string().trim() }), async ({ file }) => `did ${file}`);

it("hands over what the schema made of a payload", async () => {
  expect(await handler({ file: " a.txt " }, ctx)).toBe("did a.txt");
});

it("fails a job for good whose payload does not fit, and says where", async () => {
  await expect(handler({ file: 7 }, ctx)).rejects.toMatchObject({
    code: "invalid",
    retryable: false,
    message: expect.stringContaining("file: ") as unknown,
  });
});

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parsing, Worker } from "@gleaner/queue/worker";
import { ConvexClient } from "convex/browser";
import * as z from "zod";

const { CONVEX_URL = "http://127.0.0.1:3210", WORKER_KEY = "", FOLDER = "." } = process.env;
/** Only a plain name: a job must not read files outside of the folder. */
const job = z.object({ file: z.string().regex(/^\w[\w.-]{0,254}$/) });

const client = new ConvexClient(CONVEX_URL, { skipConvexDeploymentUrlCheck: true });
const worker = new Worker(client, {
  key: WORKER_KEY,
  concurrency: 4,
  handlers: {
    hash: parsing(job, async ({ file }, { signal }) => {
      const hash = createHash("sha256");
      await pipeline(createReadStream(join(FOLDER, file)), hash, { signal });
      return { sha256: hash.digest("hex") };
    }),
  },
});
worker.start();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void worker.stop().then(() => client.close()));
}

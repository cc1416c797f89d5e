import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { exitUnreachable } from "../command/command.ts";
import { Deployment } from "./deployment.ts";

it("gives up on a deployment that accepts the connection and never answers", async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const deployment = new Deployment({ url, pin: null, siteUrl: null }, "key", 20);
  await expect(deployment.fetch("/api/embedded/conflicts")).rejects.toMatchObject({
    exitCode: exitUnreachable,
    message: expect.stringContaining("no answer in time") as string,
  });
  server.closeAllConnections();
  server.close();
});

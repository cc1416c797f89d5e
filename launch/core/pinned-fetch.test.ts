import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Setup } from "../organization/setup.ts";
import { fetchPinned } from "./pinned-fetch.ts";

let server: Server;
let url: string;

/** A server that is silent, or for `/half` after the first bytes of its answer. */
beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.url === "/half") response.writeHead(200).write("half");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const isLate = { name: "TimeoutError" };

it("ends a call without an answer at its deadline", async () => {
  await expect(fetchPinned(null, 20)(url)).rejects.toMatchObject(isLate);
});

it("ends a call in the middle of its body", async () => {
  const response = await fetchPinned(null, 2_000)(`${url}/half`);
  await expect(response.text()).rejects.toMatchObject(isLate);
});

it("obeys the signal of a call instead", async () => {
  const call = fetchPinned(null, 600_000)(url, { signal: AbortSignal.timeout(20) });
  await expect(call).rejects.toMatchObject(isLate);
});

it("gives each call of the setup a deadline", async () => {
  await expect(new Setup({ url, adminKey: "key" }, 20).organizations()).rejects.toMatchObject(isLate);
});

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { batchEndpoints, batchStatuses, jobStatuses, partBytes } from "@gleaner/client/http";
import { expect, it, onTestFinished } from "vitest";
import { batchEndpointNames, batchLimits, batchStatuses as ours } from "../../../app/batches/limits.ts";
import { requestStatuses } from "../../../app/jobs/states.ts";
import { Api } from "./api.ts";
import { modelList } from "./wire.ts";

async function apiWith(answer: RequestListener): Promise<Api> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return new Api({ url: `http://127.0.0.1:${port}/v1`, apiKey: "key", pin: null });
}

it.each([
  [401, "invalid_api_key", /^No\. .*gleaner login/],
  [404, "model_not_found", /^No\. .*gleaner models/],
  [429, "insufficient_quota", /^No\. .*administrator/],
])("says after a refusal with %d what helps", async (status, code, message) => {
  const api = await apiWith((_, response) => {
    response.writeHead(status).end(JSON.stringify({ error: { message: "No.", code } }));
  });
  await expect(api.get("/models", modelList)).rejects.toMatchObject({
    status,
    code,
    exitCode: 1,
    message: expect.stringMatching(message),
  });
});

it("says how to use another server if one cannot be reached", async () => {
  const api = new Api({ url: "http://127.0.0.1:1/v1", apiKey: "key", pin: null });
  await expect(api.get("/models", modelList)).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/cannot be reached: .*gleaner login --url/),
  });
});

it("sends nobody to the login that the environment outranks", async () => {
  const login = { apiKey: "key", pin: null, isOfVariables: true };
  await expect(new Api({ ...login, url: "http://127.0.0.1:1/v1" }).get("/models", modelList)).rejects.toThrow(
    /cannot be reached: .* GLEANER_BASE_URL names it\.$/,
  );
  const { url } = await apiWith((_, response) => {
    response.writeHead(401).end('{"error":{"message":"No.","code":"invalid_api_key"}}');
  });
  await expect(new Api({ ...login, url }).get("/models", modelList)).rejects.toThrow(
    "No. It comes from GLEANER_API_KEY.",
  );
});

it("agrees with the server on names and sizes", () => {
  expect(batchEndpoints).toEqual(batchEndpointNames);
  expect(batchStatuses).toEqual(ours);
  expect(jobStatuses).toEqual(requestStatuses);
  expect(partBytes).toBe(batchLimits.fileBytes);
});

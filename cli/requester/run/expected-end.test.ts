import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Api } from "../client/api.ts";
import { expectedEnd } from "./expected-end.ts";
import { newRun } from "./settings.ts";

let folder: string;
let server: Server;
/** The calls that the server got: method, path and body. */
let calls: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-end-"));
  calls = [];
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** @param estimate the server's answer; null: it is of an earlier version, and refuses the sample. */
async function apiWith(estimate: object | null): Promise<Api> {
  const answerTo = async (request: IncomingMessage): Promise<[number, object]> => {
    const body = await text(request);
    calls.push(`${String(request.method)} ${String(request.url)} ${body}`);
    if (request.url !== "/v1/batches/estimate") return [200, { id: "file-1" }];
    if (estimate === null) return [400, { error: { code: "unknown_parameter", message: "No." } }];
    return [200, estimate];
  };
  server = createServer((request, response) => {
    void answerTo(request).then(([status, answer]) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return new Api({ url: `http://127.0.0.1:${String(port)}/v1`, apiKey: "key", pin: null });
}

async function runOf(rows: number, first: number) {
  const input = join(folder, "table.csv");
  await writeFile(
    input,
    `id,text\n${Array.from({ length: rows }, (_, row) => `${String(row)},text`).join("\n")}\n`,
  );
  return await newRun("http://127.0.0.1/v1", {
    input,
    inputSha256: "",
    format: "csv",
    template: "Repeat {{id}}.",
    system: null,
    model: "m",
    maxTokens: null,
    temperature: null,
    requires: "",
    within: "12h",
    first,
    column: "answer",
    outputFormat: "csv",
  });
}

const inSeconds = (hours: number): number => Math.round(Date.now() / 1_000) + 3_600 * hours;
const told = {
  requests: { total: 995, is_exact: false, refused: null },
  expected_price_micro: "5000000",
  most_price_micro: "9000000",
  forecast: { expected_at: inSeconds(1), latest_at: inSeconds(2), on_time: 1 },
  errors: null,
};

it("asks about a sample of the rows that are not tried, which the server does not keep", async () => {
  const end = await expectedEnd(await apiWith(told), { ...(await runOf(1_000, 5)), firstPriceMicro: "9" });
  expect(end).toMatch(/^Done by .*\d\d:\d\d, 95%; expected .*\d\d:\d\d\.$/);
  const [upload = "", asked = "", removed = ""] = calls;
  expect(upload).toContain("POST /v1/files ");
  expect(upload).toContain("Repeat 5.");
  expect(upload).not.toContain("Repeat 4.");
  expect(upload.match(/custom_id/g)).toHaveLength(20);
  expect(asked).toContain('"sample_of":995');
  expect(asked).toContain('"completion_window":"12h"');
  expect(removed).toContain("DELETE /v1/files/file-1");
});

it("tells the cost, too, if no rows were tried", async () => {
  const end = await expectedEnd(await apiWith(told), await runOf(1_000, 0));
  expect(end).toMatch(/^The other 1,000 rows would cost about 5(\.0+)? cr\.\nDone by/);
});

it("says that the rows cannot be done in their time", async () => {
  const message = "This batch would end on Friday. Ask for a longer completion_window.";
  const forecast = { expected_at: inSeconds(90), latest_at: null, on_time: 0 };
  const late = { ...told, forecast, errors: { data: [{ line: 0, message }] } };
  const end = await expectedEnd(await apiWith(late), await runOf(1_000, 0));
  expect(end).toContain("It will probably not end in time: the chance is 0%.");
  expect(end?.split("\n").at(-1)).toBe(message);
});

it("says that no end is known, or nothing if the server is of an earlier version", async () => {
  const run = await runOf(1_000, 0);
  expect(await expectedEnd(await apiWith({ ...told, forecast: null }), run)).toContain("No end is known");
  server.close();
  expect(await expectedEnd(await apiWith(null), run)).toBeNull();
});

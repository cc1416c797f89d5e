import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { internal } from "../_generated/api.js";
import { expectError } from "./apiError.fixture.ts";
import { addOrganization, type Backend, type Organization, startBackend } from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(() => {
  vi.useRealTimers();
});

type Upload = { readonly id: string; readonly status: string; readonly file: { readonly id: string } | null };

async function post(path: string, body: object | FormData, apiKey = acme.apiKey): Promise<Response> {
  const sent = body instanceof FormData ? body : JSON.stringify(body);
  return await t.fetch(path, { method: "POST", body: sent, headers: { authorization: `Bearer ${apiKey}` } });
}

const announced = { filename: "big.jsonl", bytes: 9, purpose: "batch", mime_type: "application/jsonl" };

async function create(over: object = {}): Promise<Upload> {
  return (await (await post("/v1/uploads", { ...announced, ...over })).json()) as Upload;
}

async function part(id: string, content: string): Promise<Response> {
  // `convex-test` stores no file while another function runs.
  await t.finishInProgressScheduledFunctions();
  const form = new FormData();
  form.set("data", new File([content], "part"));
  return await post(`/v1/uploads/${id}/parts`, form);
}

const partId = async (id: string, content: string): Promise<string> =>
  ((await (await part(id, content)).json()) as { id: string }).id;

const storedFiles = async (): Promise<number> =>
  await t.run(async (ctx) => (await ctx.db.system.query("_storage").collect()).length);

it("a file comes in parts, in the order in which they are completed", async () => {
  const upload = await create();
  expect(upload).toMatchObject({
    object: "upload",
    status: "pending",
    bytes: 9,
    file: null,
    purpose: "batch",
  });
  const [second, unused, first] = [
    await partId(upload.id, "def"),
    await partId(upload.id, ""),
    await partId(upload.id, "abcabc"),
  ];
  expect(unused).toMatch(/^part_/);
  const completed = await post(`/v1/uploads/${upload.id}/complete`, { part_ids: [first, second] });
  const { status, file } = (await completed.json()) as Upload;
  expect([status, file]).toMatchObject(["completed", { filename: "big.jsonl", bytes: 9, purpose: "batch" }]);
  const content = await t.fetch(`/v1/files/${file!.id}/content`, {
    headers: { authorization: `Bearer ${acme.apiKey}` },
  });
  expect(await content.text()).toBe("abcabcdef");
  expect(await storedFiles()).toBe(2);
  const again = await post(`/v1/uploads/${upload.id}/complete`, { part_ids: [first, second] });
  expect(((await again.json()) as Upload).file!.id).toBe(file!.id);
  // The file outlives its upload.
  vi.advanceTimersByTime(3_600_000);
  await t.mutation(internal.files.sweep, {});
  expect(await storedFiles()).toBe(2);
  expect((await part(upload.id, "x")).status).toBe(404);
});

it("a part may be sent again, as after a lost answer", async () => {
  const upload = await create();
  // OpenAI's SDKs try three times.
  const lost = [await partId(upload.id, "abcdefghi"), await partId(upload.id, "abcdefghi")];
  const [second, first] = [await partId(upload.id, "ghi"), await partId(upload.id, "abcdef")];
  expect(new Set([...lost, first]).size).toBe(3);
  const completed = await post(`/v1/uploads/${upload.id}/complete`, { part_ids: [first, second] });
  expect(((await completed.json()) as Upload).file).toMatchObject({ bytes: 9 });
  expect(await storedFiles()).toBe(2);
});

/** A file of two parts, longer than one answer may be. */
async function longFile(parts: readonly [string, string]): Promise<string> {
  const upload = await create({ bytes: parts[0].length + parts[1].length });
  const ids = [await partId(upload.id, parts[0]), await partId(upload.id, parts[1])];
  const completed = await post(`/v1/uploads/${upload.id}/complete`, { part_ids: ids });
  return ((await completed.json()) as Upload).file!.id;
}

async function contentOf(fileId: string, accepted?: string): Promise<Response> {
  const encodings = accepted === undefined ? {} : { "accept-encoding": accepted };
  return await t.fetch(`/v1/files/${fileId}/content`, {
    headers: { authorization: `Bearer ${acme.apiKey}`, ...encodings },
  });
}

const nineMib = 9 * 1_024 * 1_024;

it("a file that is too long for one answer is compressed for clients that can read that", async () => {
  const parts = ["a line\n", "another line\n"].map((line) => line.repeat(nineMib / line.length)) as [
    string,
    string,
  ];
  const file = await longFile(parts);
  const zipped = await contentOf(file, "br, gzip;q=0.5");
  expect([zipped.status, zipped.headers.get("content-encoding")]).toEqual([200, "gzip"]);
  const bytes = Buffer.from(await zipped.arrayBuffer());
  expect(zipped.headers.get("content-length")).toBe(String(bytes.length));
  expect(gunzipSync(bytes).toString() === parts.join("")).toBe(true);
  for (const accepted of [undefined, "br", "gzip;q=0", "identity, gzip; q=0.0"])
    await expectError(await contentOf(file, accepted), 413, { code: "file_too_large" });
});

it("a file that hardly gets smaller is read in parts", async () => {
  const part = (): string => randomBytes((nineMib * 5) / 4).toString("base64");
  const file = await longFile([part(), part()]);
  await expectError(await contentOf(file, "gzip"), 413, { code: "file_too_large" });
});

it("an upload that does not end is deleted after an hour", async () => {
  const upload = await create();
  await part(upload.id, "abc");
  vi.advanceTimersByTime(3_600_000);
  await expectError(await part(upload.id, "abc"), 400, { code: "invalid_value" });
  await t.mutation(internal.files.sweep, {});
  expect(await storedFiles()).toBe(0);
});

it("a canceled upload has no parts, and takes no more", async () => {
  const upload = await create();
  const only = await partId(upload.id, "abcabcabc");
  const canceled = await post(`/v1/uploads/${upload.id}/cancel`, {});
  expect(await canceled.json()).toMatchObject({ status: "cancelled" });
  expect((await post(`/v1/uploads/${upload.id}/cancel`, {})).status).toBe(200);
  await expectError(await part(upload.id, "abc"), 400, { code: "invalid_value" });
  await expectError(await post(`/v1/uploads/${upload.id}/complete`, { part_ids: [only] }), 400, {
    code: "invalid_value",
  });
  expect(await storedFiles()).toBe(0);
});

it("is refused where its parts do not fit", async () => {
  const upload = await create();
  const one = await partId(upload.id, "abc");
  const complete = async (ids: readonly string[]): Promise<Response> =>
    await post(`/v1/uploads/${upload.id}/complete`, { part_ids: ids });
  await expectError(await part(upload.id, "abcdefghij"), 400, { code: "invalid_value" });
  await expectError(await complete([one]), 400, { code: "invalid_value" });
  await expectError(await complete([one, one, one]), 400, { code: "invalid_value", param: "part_ids" });
  await expectError(await complete(["part_x"]), 404, { code: "not_found", param: "part_ids" });
  await expectError(await complete([]), 400, { param: "part_ids" });
  expect(await storedFiles()).toBe(1);
  for (let tries = 0; tries < 2; tries += 1) await part(upload.id, "abcdefghi");
  await expectError(await part(upload.id, "abcdefg"), 400, { code: "invalid_value" });
  expect(await storedFiles()).toBe(3);
});

it("is seen by its own key only", async () => {
  const upload = await create();
  const other = await addOrganization(t, { name: "Other" });
  for (const call of ["parts", "complete", "cancel"]) {
    const form = new FormData();
    form.set("data", new File(["x"], "x"));
    const body = call === "parts" ? form : call === "complete" ? { part_ids: ["part_x"] } : {};
    await expectError(await post(`/v1/uploads/${upload.id}/${call}`, body, other.apiKey), 404, {
      code: "not_found",
    });
  }
  expect(await storedFiles()).toBe(0);
});

it.each([
  [{ bytes: 0 }, "bytes"],
  [{ bytes: 2 ** 40 }, "bytes"],
  [{ purpose: "vision" }, "purpose"],
  [{ purpose: undefined }, "purpose", "missing_required_parameter"],
  [{ filename: "" }, "filename"],
  [{ expires_after: { anchor: "created_at", seconds: 1 } }, "expires_after.seconds"],
])("is refused with %j", async (over, param, code = expect.any(String) as string) => {
  await expectError(await post("/v1/uploads", { ...announced, ...over }), 400, { code, param });
});

it("refuses a field of a form that it does not know, and names the one that was probably meant", async () => {
  const form = new FormData();
  form.set("purpos", "batch");
  form.set("file", new File(["{}"], "x"));
  await expectError(await post("/v1/files", form), 400, {
    code: "unknown_parameter",
    param: "purpos",
    message: "Unknown parameter: 'purpos'. Did you mean 'purpose'?",
  });
});

it("is read from a compressed form, and refused in one that is compressed otherwise", async () => {
  const text = "a line\n".repeat(300_000);
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new File([text], "lines.jsonl"));
  const plain = new Response(form);
  const type = String(plain.headers.get("content-type"));
  const bytes = Buffer.from(await plain.arrayBuffer());
  const send = async (body: Uint8Array<ArrayBuffer>, encoding: string): Promise<Response> =>
    await t.fetch("/v1/files", {
      method: "POST",
      body,
      headers: {
        authorization: `Bearer ${acme.apiKey}`,
        "content-type": type,
        "content-encoding": encoding,
      },
    });
  const zipped = new Uint8Array(gzipSync(bytes));
  const stored = (await (await send(zipped, "gzip")).json()) as { id: string; bytes: number };
  expect(stored.bytes).toBe(text.length);
  expect((await (await contentOf(stored.id)).text()) === text).toBe(true);
  const [count] = [await storedFiles()];
  await expectError(await send(new Uint8Array(bytes), "gzip"), 400, { code: "invalid_request_body" });
  await expectError(await send(zipped.slice(0, -2_000), "gzip"), 400, { code: "invalid_request_body" });
  const damaged = zipped.map((byte, at) => (at === zipped.length - 6 ? byte ^ 1 : byte));
  await expectError(await send(damaged, "gzip"), 400, { code: "invalid_request_body" });
  await expectError(await send(zipped, "br"), 415, { code: "unsupported_content_encoding" });
  const bomb = new Uint8Array(gzipSync(Buffer.concat([bytes.subarray(0, 300), Buffer.alloc(40 * mib, "a")])));
  await expectError(await send(bomb, "gzip"), 413, { code: "request_too_large" });
  expect(await storedFiles()).toBe(count);
});

it("is refused beside ten that are open, and where a key has no room", async () => {
  for (let uploads = 0; uploads < 4; uploads += 1) await create({ bytes: 512 * 1024 * 1024 });
  await expectError(await post("/v1/uploads", announced), 429, { code: "insufficient_quota" });
  for (const { id } of await Promise.all([create(), create()])) expect(id).toBeUndefined();
  const other = await addOrganization(t, { name: "Other" });
  for (let uploads = 0; uploads < 10; uploads += 1) {
    expect((await post("/v1/uploads", announced, other.apiKey)).status).toBe(200);
  }
  await expectError(await post("/v1/uploads", announced, other.apiKey), 429, { code: "queue_full" });
});

const mib = 1024 ** 2;

it("a large part is stored in pieces, which are read as one and deleted together", async () => {
  const content = Array.from({ length: 5 * mib }, (_, at) => String.fromCharCode(97 + (at % 23))).join("");
  const upload = await create({ bytes: content.length });
  const partIds = [await partId(upload.id, content)];
  await partId(upload.id, "");
  expect(await storedFiles()).toBe(4);
  const { file } = (await (
    await post(`/v1/uploads/${upload.id}/complete`, { part_ids: partIds })
  ).json()) as Upload;
  expect(await storedFiles()).toBe(3);
  const headers = { authorization: `Bearer ${acme.apiKey}` };
  const path = `/v1/files/${file?.id ?? ""}`;
  expect(await (await t.fetch(`${path}/content`, { headers })).text()).toBe(content);
  const [from, to] = [2 * mib - 3, 4 * mib + 5];
  const range = { ...headers, range: `bytes=${String(from)}-${String(to - 1)}` };
  expect(await (await t.fetch(`${path}/content`, { headers: range })).text()).toBe(content.slice(from, to));
  await t.fetch(path, { method: "DELETE", headers });
  expect(await storedFiles()).toBe(0);
});

it("pieces are deleted again if their part is refused, or breaks off", async () => {
  const upload = await create({ bytes: 3 * mib });
  await expectError(await part(upload.id, "x".repeat(3 * mib + 1)), 400, { code: "invalid_value" });
  expect(await storedFiles()).toBe(0);
  await t.finishInProgressScheduledFunctions();
  const cutOff = `--b\r\nContent-Disposition: form-data; name="data"; filename="a"\r\n\r\n${"x".repeat(3 * mib)}`;
  const response = await t.fetch(`/v1/uploads/${upload.id}/parts`, {
    method: "POST",
    body: cutOff,
    headers: { authorization: `Bearer ${acme.apiKey}`, "content-type": "multipart/form-data; boundary=b" },
  });
  await expectError(response, 400, { code: "invalid_request_body" });
  expect(await storedFiles()).toBe(0);
});

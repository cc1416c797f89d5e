import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { baseUrl, findLogin, givenLogin, loginFile, removeLogin, saveLogin } from "./login-file.ts";

let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-login-"));
  env = { XDG_CONFIG_HOME: folder, APPDATA: folder };
});
afterEach(() => rm(env["XDG_CONFIG_HOME"]!, { recursive: true }));

const stored = { url: "http://127.0.0.1:1/v1", apiKey: "stored", pin: null };
const openAi = { OPENAI_BASE_URL: "https://other.example/v1", OPENAI_API_KEY: "other" };

it.skipIf(process.platform === "darwin")(
  "stores a login that only its owner can read, and removes it",
  async () => {
    await expect(findLogin(env)).rejects.toThrow("gleaner login");
    await saveLogin(env, stored);
    expect(await findLogin(env)).toEqual({ ...stored, version: 1 });
    if (process.platform !== "win32") expect((await stat(loginFile(env))).mode & 0o777).toBe(0o600);
    expect([await removeLogin(env), await removeLogin(env)]).toEqual([true, false]);
  },
);

it.skipIf(process.platform === "darwin")(
  "prefers Gleaner's variables to the stored login, and that to OpenAI's variables",
  async () => {
    expect(await findLogin({ ...env, ...openAi })).toMatchObject({ apiKey: "other" });
    await saveLogin(env, stored);
    expect(await findLogin({ ...env, ...openAi })).toMatchObject({ apiKey: "stored" });
    const own = { GLEANER_BASE_URL: "https://own.example", GLEANER_API_KEY: "own" };
    expect(await findLogin({ ...env, ...openAi, ...own })).toEqual({
      url: "https://own.example/v1",
      apiKey: "own",
      pin: null,
      isOfVariables: true,
    });
  },
);

it("never sends a key to an address from another place", async () => {
  await expect(findLogin({ ...env, GLEANER_BASE_URL: "https://own.example" })).rejects.toThrow("Set both");
  await expect(findLogin({ ...env, OPENAI_API_KEY: "k" })).rejects.toThrow("not logged in");
});

it.each([
  ["http://named", openAi, { url: "http://named" }],
  [undefined, openAi, { url: "https://other.example/v1", apiKey: "other" }],
  [undefined, { ...openAi, GLEANER_API_KEY: "own" }, { url: "https://other.example/v1", apiKey: "other" }],
  [undefined, { ...openAi, GLEANER_BASE_URL: "http://own" }, { url: "http://own" }],
  ["http://named", { ...openAi, GLEANER_API_KEY: "own" }, { url: "http://named", apiKey: "own" }],
])("logs in at %s with %j by %j", (url, variables, given) => {
  expect(givenLogin({ ...env, ...variables }, url)).toEqual({ apiKey: undefined, ...given });
});

it("refuses plain HTTP to another computer", async () => {
  const insecure = { GLEANER_BASE_URL: "http://office:3211", GLEANER_API_KEY: "k" };
  await expect(findLogin({ ...env, ...insecure })).rejects.toThrow("--insecure-http");
});

it.each([
  ["http://127.0.0.1:3211", "http://127.0.0.1:3211/v1"],
  ["https://a.example/v1/", "https://a.example/v1"],
  ["https://a.example/gleaner/v1?x#y", "https://a.example/gleaner/v1"],
])("takes %s for the API at %s", (given, url) => {
  expect(baseUrl(given)).toBe(url);
});

it("refuses what is no address", () => {
  expect(() => baseUrl("office:3211")).toThrow("not an http or https URL");
});

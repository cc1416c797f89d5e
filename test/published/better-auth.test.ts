import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const origin = "http://127.0.0.1:5173";
const app = new PublishedApp("better-auth", {
  SITE_URL: origin,
  BETTER_AUTH_SECRET: "a secret of the tests, at least 32 characters long",
});

/** A browser on another origin, which keeps Better Auth's cookies itself. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async request(path: string, body?: object): Promise<Response> {
    const response = await fetch(`${app.siteUrl}/api/auth${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        Origin: origin,
        "Content-Type": "application/json",
        "Better-Auth-Cookie": [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    for (const cookie of (response.headers.get("Set-Better-Auth-Cookie") ?? "").split(/, (?=[^;]+=)/)) {
      const [name = "", value = ""] = cookie.split(";", 1)[0]!.split(/=(.*)/s);
      if (cookie.includes("Max-Age=0")) this.#cookies.delete(name);
      else if (name !== "") this.#cookies.set(name, value);
    }
    return response;
  }

  signUp(name: string, password: string): Promise<Response> {
    return this.request("/sign-up/email", { name, email: `${name}@example.com`, password });
  }

  signIn(name: string, password: string): Promise<Response> {
    return this.request("/sign-in/email", { email: `${name}@example.com`, password });
  }

  /** The token for Convex, or null if there is no session. */
  async token(): Promise<string | null> {
    const response = await this.request("/convex/token");
    return response.ok ? ((await response.json()) as { readonly token: string }).token : null;
  }
}

const me = (token: string) => app.query("users:me", {}, app.httpClient(token));

test("a user signs up, and the session gives a token that queries know", async () => {
  const browser = new Browser();
  const response = await browser.signUp("ann", "correct horse");
  expect(response.status).toBe(200);
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe(origin);
  const token = (await browser.token())!;
  const user = { email: "ann@example.com", name: "ann", issuer: app.siteUrl, isSubject: true };
  expect(await me(token)).toEqual(user);
  expect(await app.query("users:me")).toBeNull();
  const client = app.liveClient();
  const seen = app.watch("users:me", {}, client);
  client.setAuth(() => Promise.resolve(token));
  await expect.poll(() => seen.at(-1)).toEqual(user);
  client.client.clearAuth();
  await expect.poll(() => seen.at(-1)).toBeNull();
});

test("a user signs in with the right password only", async () => {
  await new Browser().signUp("bob", "a long password");
  const browser = new Browser();
  expect((await browser.signIn("bob", "wrong password")).status).toBe(401);
  expect((await browser.signIn("nobody", "a long password")).status).toBe(401);
  expect(await browser.token()).toBeNull();
  expect((await browser.signIn("bob", "a long password")).status).toBe(200);
  expect(await me((await browser.token())!)).toMatchObject({ email: "bob@example.com" });
  expect((await new Browser().signUp("bob", "another password")).status).toBe(422);
});

test("a session that is signed out gives no token, and its old token finds no user", async () => {
  const browser = new Browser();
  await browser.signUp("cleo", "third password");
  const token = (await browser.token())!;
  expect(await (await browser.request("/get-session")).json()).toMatchObject({ user: { name: "cleo" } });
  expect((await browser.request("/sign-out", {})).status).toBe(200);
  expect(await browser.token()).toBeNull();
  expect(await me(token)).toBeNull();
});

test("Better Auth's API works in a mutation, and its triggers keep the app's own table", async () => {
  const browser = new Browser();
  await browser.signUp("dora", "fourth password");
  expect(await app.query("users:profiles")).toContain("dora");
  await app.mutation("users:rename", { name: "Theodora" }, app.httpClient((await browser.token())!));
  expect(await app.query("users:profiles")).toContain("Theodora");
  expect(await (await browser.request("/get-session?disableCookieCache=true")).json()).toMatchObject({
    user: { name: "Theodora" },
  });
});

test("a request from another origin is refused", async () => {
  const response = await fetch(`${app.siteUrl}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { Origin: "http://evil.example", "Content-Type": "application/json", Cookie: "a=b" },
    body: JSON.stringify({ email: "ann@example.com", password: "correct horse" }),
  });
  expect(response.status).toBe(403);
});

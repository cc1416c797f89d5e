import { expect, it } from "vitest";
import { sessionStore } from "./session-store.ts";
import { linkOf, linkToken, signIn } from "./sign-in.ts";

it("reads the sign-in token from the hash", () => {
  expect(linkToken("#signin=gs_abc-_1", "signin")).toBe("gs_abc-_1");
  expect(linkToken("#/jobs", "signin")).toBeNull();
  expect(linkToken("#signin=", "signin")).toBeNull();
  expect(linkToken("", "signin")).toBeNull();
});

it("keeps invitations and sign-in links apart", () => {
  expect(linkToken("#invite=gi_abc", "invite")).toBe("gi_abc");
  expect(linkToken("#invite=gi_abc", "signin")).toBeNull();
});

it("writes links that open the same deployment", () => {
  const at = { origin: "https://x.example", pathname: "/console/", search: "?deployment=https://y.example" };
  const link = linkOf(at as Location, "invite", "gi_abc");
  expect(link).toBe("https://x.example/console/?deployment=https://y.example#invite=gi_abc");
  expect(linkToken(new URL(link).hash, "invite")).toBe("gi_abc");
});

type Client = Parameters<typeof signIn>[0];

/** A browser whose server answers when the test says so. It remembers the session that was sent. */
function browser() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as unknown as Storage;
  const server = Promise.withResolvers<unknown>();
  const sent: string[] = [];
  const client = {
    mutation: (_reference: unknown, { session }: { readonly session: string }) => {
      sent.push(session);
      return server.promise;
    },
  } as unknown as Client;
  return { client, server, sent, store: sessionStore(storage, "http://server") };
}

const late = async ({ client, store }: ReturnType<typeof browser>) => {
  const outcome = await signIn(client, store, "gs_token", 5);
  if (outcome.kind !== "late") throw new Error(`it is ${outcome.kind}, not late`);
  return outcome;
};

it("stores the session of a link that works", async () => {
  const { client, server, sent, store } = browser();
  server.resolve({ kind: "signed-in" });
  expect(await signIn(client, store, "gs_token")).toMatchObject({ kind: "signed-in" });
  expect([store.load()]).toEqual(sent);
});

it("stops waiting for a server that does not answer, and keeps the session that a late answer makes valid", async () => {
  const page = browser();
  const { answer } = await late(page);
  expect([page.store.load()]).toEqual(page.sent);
  page.store.clear();
  page.server.resolve({ kind: "signed-in" });
  expect(await answer).toMatchObject({ kind: "signed-in" });
  expect([page.store.load()]).toEqual(page.sent);
});

it("forgets the session if the link is refused late", async () => {
  const page = browser();
  const { answer } = await late(page);
  page.server.resolve({ kind: "refused", reason: "expired" });
  expect(await answer).toEqual({ kind: "refused", why: "This sign-in link has expired." });
  expect(page.store.load()).toBeNull();
});

it("leaves an earlier session until the server answers, and after a refusal", async () => {
  const page = browser();
  page.store.save("gs_earlier");
  const { answer } = await late(page);
  expect(page.store.load()).toBe("gs_earlier");
  page.server.reject(new Error("no"));
  expect(await answer).toMatchObject({ kind: "refused" });
  expect(page.store.load()).toBe("gs_earlier");
});

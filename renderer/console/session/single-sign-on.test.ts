import { ConvexError } from "convex/values";
import { expect, it } from "vitest";
import { sessionStore } from "./session-store.ts";
import { finishSingleSignOn, goToProvider, ssoAnswer } from "./single-sign-on.ts";

function storageOf(kept = new Map<string, string>()): Storage {
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as unknown as Storage;
}

/** A tab whose server answers as the test says. */
function tab(answer: () => Promise<unknown> = async () => ({ url: "https://id.example.org/" })) {
  const visited: string[] = [];
  const window = {
    location: {
      origin: "http://here",
      pathname: "/console/",
      search: "",
      hash: "#/keys",
      assign: (url: string) => void visited.push(url),
    },
    history: { replaceState: (_: unknown, __: string, url: string) => void visited.push(url) },
    sessionStorage: storageOf(),
  } as unknown as Window;
  const client = { action: answer, mutation: answer } as unknown as Parameters<typeof goToProvider>[0] &
    Parameters<typeof finishSingleSignOn>[0];
  return { visited, window, client, store: sessionStore(storageOf(), "http://server") };
}

const goOut = ({ client, window }: ReturnType<typeof tab>) =>
  goToProvider(client, window, "p" as Parameters<typeof goToProvider>[2], "gs_new");

it("reads a provider's answer from the address", () => {
  expect(ssoAnswer("#sso=abc")).toEqual({ code: "abc" });
  expect(ssoAnswer("#sso-refused=no-role")).toEqual({ refused: "no-role" });
  expect(ssoAnswer("#/keys")).toBeNull();
  expect(ssoAnswer("#sso=")).toBeNull();
});

it("keeps the session in the tab, and stores it once the server has taken the code", async () => {
  const here = tab();
  await goOut(here);
  expect(here.visited).toEqual(["https://id.example.org/"]);
  expect(here.store.load()).toBeNull();
  const answer = await finishSingleSignOn(here.client, here.store, here.window, { code: "c" });
  expect(answer).toEqual({ kind: "signed-in" });
  expect(here.store.load()).toBe("gs_new");
  expect(here.visited.at(-1)).toBe("/console/#/keys");
});

it("signs nobody in with a code that another tab asked for", async () => {
  const here = tab();
  const answer = await finishSingleSignOn(here.client, here.store, here.window, { code: "c" });
  expect(answer).toMatchObject({ kind: "refused" });
  expect(here.store.load()).toBeNull();
});

it("says why a provider or the server refused, and keeps an earlier session", async () => {
  const here = tab(async () => {
    throw new ConvexError({ code: "unauthorized", message: "This sign-in has ended. Try again." });
  });
  here.store.save("gs_earlier");
  here.window.sessionStorage.setItem("gleaner.single-sign-on", JSON.stringify({ session: "gs_x", hash: "" }));
  expect(await finishSingleSignOn(here.client, here.store, here.window, { code: "c" })).toEqual({
    kind: "refused",
    why: "This sign-in has ended. Try again.",
  });
  const refused = await finishSingleSignOn(here.client, here.store, here.window, { refused: "no-role" });
  expect(refused).toMatchObject({ why: expect.stringContaining("None of your groups") });
  expect(here.store.load()).toBe("gs_earlier");
});

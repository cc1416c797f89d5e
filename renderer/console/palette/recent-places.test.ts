import { expect, it } from "vitest";
import { routeOf } from "../shell/route.ts";
import { placeOf, recentPlaces, titleOf } from "./recent-places.ts";

function memory(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

it("keeps the latest six places, each once, newest first", () => {
  const places = recentPlaces(memory());
  for (const at of [1, 2, 3, 4, 5, 6, 7, 3]) places.add({ href: `#/jobs/${String(at)}`, name: null });
  expect(places.list().map(({ href }) => href.slice(-1))).toEqual(["3", "7", "6", "5", "4", "2"]);
  places.clear();
  expect(places.list()).toEqual([]);
});

it("ignores stored text that is no list of places in the console", () => {
  for (const text of ["no JSON", "{}", '[{"href":"https://elsewhere.example","name":"x"}]']) {
    const storage = memory();
    storage.setItem("gleaner-recent-places", text);
    expect(recentPlaces(storage).list()).toEqual([]);
  }
});

it("names a place by its page, its thing and its filters, without an open dialog", () => {
  const place = placeOf(routeOf("#/jobs/j1?status=failed&open=new-key"));
  expect(place).toEqual({ href: "#/jobs/j1?status=failed", name: null });
  expect(place && titleOf(place)).toBe("Jobs · j1 · failed");
  expect(placeOf(routeOf("#/nowhere"))).toBeNull();
});

it("keeps no words of a page in the store, since the language may change", () => {
  const storage = memory();
  const places = recentPlaces(storage);
  places.add({ href: "#/devices/d1", name: "Ada's laptop" });
  places.add({ href: "#/devices/d1", name: null });
  expect(places.list().map(({ title }) => title)).toEqual(["Devices · Ada's laptop"]);
  expect(storage.getItem("gleaner-recent-places")).not.toContain("Devices");
});

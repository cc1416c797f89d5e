import { expect, test, vi } from "vitest";
import { startWithFiles } from "./storage.fixture.ts";

test("a component has its own files, which the app can reach only by URL", async () => {
  const { call, stored, names } = await startWithFiles();
  const own = await stored("the app's");
  const upload = await fetch(await call<string>("mutation", "cabinetUploadUrl"), {
    method: "POST",
    body: "its",
  });
  const { storageId: uploaded } = (await upload.json()) as { storageId: string };
  const made = await call<string>("action", "cabinetStore", { text: "made by it" });

  expect(await call("query", "list")).toMatchObject([{ _id: own }]);
  expect(await call("query", "cabinetList")).toMatchObject([{ _id: uploaded }, { _id: made }]);

  const url = await call<string>("query", "cabinetUrl", { id: uploaded });
  expect(await (await fetch(url)).text()).toBe("its");
  const storageId = new URL(url).pathname.split("/").at(-1) ?? "";
  for (const foreign of [uploaded, made]) {
    await expect(call("query", "url", { id: foreign })).rejects.toThrow("Invalid storage ID");
    await expect(call("mutation", "remove", { id: foreign })).rejects.toThrow("Invalid storage ID");
  }
  expect(await call("query", "url", { id: storageId })).toBe(null);
  expect((await (await fetch(url.split("?")[0] ?? "")).json()) as unknown).toMatchObject({
    code: "FileNotFound",
  });
  await expect(call("query", "cabinetUrl", { id: own })).rejects.toThrow("Invalid storage ID");

  await call("mutation", "cabinetRemove", { id: uploaded });
  expect(await call("query", "cabinetUrl", { id: uploaded })).toBe(null);
  await vi.waitFor(async () => expect(await names()).toHaveLength(2), { timeout: 60_000, interval: 20 });
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ActionExecution } from "../execution/execution.ts";
import type { Services } from "./services.ts";
import { storeBlob, storeBlobFile } from "./storage.ts";

const mib = 1024 * 1024;

type Store = (services: Services, execution: ActionExecution) => Promise<unknown>;

/** Stores something in an action. Returns the sizes of the pieces that the store gets. */
async function piecesOf(store: Store, onPiece: (execution: { ended: boolean }) => void = () => undefined) {
  const execution = { ended: false, component: "" };
  const sizes: number[] = [];
  const saveBlob = async ({ bytes }: { readonly bytes: AsyncIterable<Uint8Array> }) => {
    for await (const piece of bytes) {
      sizes.push(piece.byteLength);
      onPiece(execution);
    }
    return { kind: "stored", id: "file" };
  };
  const services = { files: { saveBlob } } as unknown as Services;
  const stored = await store(services, execution as unknown as ActionExecution).catch(String);
  return { sizes, stored };
}

const ofBlob =
  (bytes: number): Store =>
  (...args) =>
    storeBlob(...args, { blob: new Blob([new Uint8Array(bytes)]) });

test("a large Blob is stored in small pieces, so that other work goes on", async () => {
  const { sizes, stored } = await piecesOf(ofBlob(5.5 * mib));
  expect(stored).toBe("file");
  expect(Math.max(...sizes)).toBeLessThanOrEqual(mib);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(5.5 * mib);
});

const end = (execution: { ended: boolean }): void => {
  execution.ended = true;
};

test("nothing more is stored when the action has ended", async () => {
  const { sizes, stored } = await piecesOf(ofBlob(5 * mib), end);
  expect(sizes).toHaveLength(1);
  expect(stored).toContain("The function has ended already");
});

test("nothing more of a Node action's file is stored when the action has ended", async () => {
  const folder = await mkdtemp(join(tmpdir(), "storage-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "blob");
  await writeFile(path, new Uint8Array(mib));
  const store: Store = (...args) => storeBlobFile(...args, { path, contentType: "" });
  expect(await piecesOf(store)).toMatchObject({ stored: "file" });
  const { sizes, stored } = await piecesOf(store, end);
  expect(sizes).toHaveLength(1);
  expect(stored).toContain("The function has ended already");
});

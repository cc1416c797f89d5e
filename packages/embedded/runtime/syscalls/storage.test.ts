import { expect, test } from "vitest";
import type { ActionExecution } from "../execution/execution.ts";
import type { Services } from "./services.ts";
import { storeBlob } from "./storage.ts";

const mib = 1024 * 1024;

/** Stores a Blob in an action. Returns the sizes of the pieces that the store gets. */
async function piecesOf(blob: Blob, onPiece: (execution: { ended: boolean }) => void = () => undefined) {
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
  const stored = await storeBlob(services, execution as unknown as ActionExecution, { blob }).catch(String);
  return { sizes, stored };
}

test("a large Blob is stored in small pieces, so that other work goes on", async () => {
  const { sizes, stored } = await piecesOf(new Blob([new Uint8Array(5.5 * mib)]));
  expect(stored).toBe("file");
  expect(Math.max(...sizes)).toBeLessThanOrEqual(mib);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(5.5 * mib);
});

test("nothing more is stored when the action has ended", async () => {
  const end = (execution: { ended: boolean }): void => {
    execution.ended = true;
  };
  const { sizes, stored } = await piecesOf(new Blob([new Uint8Array(5 * mib)]), end);
  expect(sizes).toHaveLength(1);
  expect(stored).toContain("The function has ended already");
});

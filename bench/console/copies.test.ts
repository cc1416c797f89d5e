import { expect, it } from "vitest";
import { encodeDocumentId } from "../../packages/embedded/values/document-id.ts";
import { copyOf } from "./copies.ts";

const idOf = (tableNumber: number, byte: number): string =>
  encodeDocumentId({ tableNumber, internalId: new Uint8Array(16).fill(byte) });

it("copies have ids of their own, by which their rows name each other, and keep other ids", () => {
  const organizationId = idOf(1, 1);
  const device = idOf(2, 2);
  const worker = idOf(3, 3);
  const rows = {
    devices: { _id: device, organizationId, workerId: worker },
    workers: { _id: worker, externalId: device, deep: [{ device }] },
  };
  const ids = [0, 1, 70_000].flatMap((n) => {
    const [devices, workers] = [copyOf(rows, "devices", n), copyOf(rows, "workers", n)];
    expect(devices).toMatchObject({ organizationId, workerId: workers["_id"] });
    expect(workers).toMatchObject({ externalId: devices["_id"], deep: [{ device: devices["_id"] }] });
    return [devices["_id"], workers["_id"]];
  });
  expect(new Set([...ids, device, worker]).size).toBe(8);
});

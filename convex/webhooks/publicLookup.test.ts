import type { LookupAddress } from "node:dns";
import { expect, it } from "vitest";
import { lookupPublic, PrivateAddress } from "./publicLookup.ts";

type Found = { readonly error: Error | null; readonly address: string | LookupAddress[] };

const find = async (name: string, all: boolean): Promise<Found> =>
  await new Promise((resolve) => {
    lookupPublic(name, { all }, (error, address) => resolve({ error, address }));
  });

it("finds public addresses, and none for a name that leads to this machine", async () => {
  const all = await find("8.8.8.8", true);
  expect(all).toEqual({ error: null, address: [{ address: "8.8.8.8", family: 4 }] });
  expect(await find("8.8.8.8", false)).toEqual({ error: null, address: "8.8.8.8" });
  for (const name of ["localhost", "10.0.0.1", "::1"]) {
    const { error, address } = await find(name, true);
    expect(error).toBeInstanceOf(PrivateAddress);
    expect(address).toEqual([]);
  }
});

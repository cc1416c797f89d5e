import fc from "fast-check";
import { expect, it } from "vitest";
import { nearbyFields, nearbyServer, readNearbyServer } from "./nearby-servers.ts";

const server = {
  organization: "Example Org",
  url: "https://192.168.1.20:3210",
  pin: `sha256:${"ab".repeat(32)}`,
};

it.each([server, { ...server, pin: null }])("reads its own announcement", (announced) => {
  expect(readNearbyServer(nearbyFields(announced))).toEqual(announced);
});

it("keeps each field within the 255 bytes of a TXT record", () => {
  const fields = nearbyFields({ ...server, organization: "ü🐑".repeat(200) });
  expect(Math.max(...fields.map((field) => Buffer.byteLength(field)))).toBeLessThanOrEqual(255);
  expect(readNearbyServer(fields)?.url).toBe(server.url);
});

it.each([
  ["another version", ["v=2", "name=A", "url=https://a"]],
  ["no name", ["v=1", "url=https://a"]],
  ["a blank name", ["v=1", "name= ", "url=https://a"]],
  ["no address", ["v=1", "name=A"]],
  ["an address with a path", ["v=1", "name=A", "url=https://a/b"]],
  ["another scheme", ["v=1", "name=A", "url=javascript:alert(1)"]],
  ["a wrong pin", ["v=1", "name=A", "url=https://a", "pin=sha256:1"]],
])("ignores an announcement with %s", (_what, fields) => {
  expect(readNearbyServer(fields)).toBeNull();
});

it("reads any fields, and returns only an announcement within its bounds", () => {
  const field = fc.oneof(
    fc.constantFrom("v=1", "name=A", "url=https://a", "pin="),
    fc
      .tuple(fc.constantFrom("v", "name", "url", "pin", ""), fc.string({ unit: "binary", maxLength: 255 }))
      .map(([key, value]) => `${key}=${value}`),
  );
  fc.assert(
    fc.property(fc.array(field, { maxLength: 8 }), (fields) => {
      const read = readNearbyServer(fields);
      expect(read === null || nearbyServer.safeParse(read).success).toBe(true);
    }),
  );
});

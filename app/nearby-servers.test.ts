import fc from "fast-check";
import { expect, it } from "vitest";
import { nearbyFields, nearbyServer, readNearbyServer } from "./nearby-servers.ts";

const server = {
  organization: "Example Org",
  url: "https://192.168.1.20:3210",
  pin: `sha256:${"ab".repeat(32)}`,
};

const pin = `pin=${server.pin}`;

it("reads its own announcement", () => {
  expect(readNearbyServer(nearbyFields(server))).toEqual(server);
});

it("keeps each field within the 255 bytes of a TXT record", () => {
  const fields = nearbyFields({ ...server, organization: "ü🐑".repeat(200) });
  expect(Math.max(...fields.map((field) => Buffer.byteLength(field)))).toBeLessThanOrEqual(255);
  expect(readNearbyServer(fields)?.url).toBe(server.url);
});

it.each([
  ["another version", ["v=2", "name=A", "url=https://a", pin]],
  ["no name", ["v=1", "url=https://a", pin]],
  ["a blank name", ["v=1", "name= ", "url=https://a", pin]],
  ["no address", ["v=1", "name=A", pin]],
  ["an address with a path", ["v=1", "name=A", "url=https://a/b", pin]],
  ["an address without TLS", ["v=1", "name=A", "url=http://a", pin]],
  ["another scheme", ["v=1", "name=A", "url=javascript:alert(1)", pin]],
  ["a wrong pin", ["v=1", "name=A", "url=https://a", "pin=sha256:1"]],
  ["no pin", ["v=1", "name=A", "url=https://a"]],
])("ignores an announcement with %s", (_what, fields) => {
  expect(readNearbyServer(fields)).toBeNull();
});

it("reads any fields, and returns only an announcement within its bounds", () => {
  const field = fc.oneof(
    fc.constantFrom("v=1", "name=A", "url=https://a", "pin=", pin),
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

import { expect, it } from "vitest";
import { noManagedSettings } from "../../app/managed/managed-settings.ts";
import { serverOfStart } from "./server-of-start.ts";

const url = "https://office:3210";
const pin = `sha256:${"ab".repeat(32)}`;
const code = "GLN-7K2M-9QXD-4WHT";
const managed = { ...noManagedSettings, server: url, pin, code };
const nothing = {
  backend: undefined,
  pin: undefined,
  insecureHttp: false,
  code: undefined,
  rejoin: false,
};

it("takes the managed server with its pin and its code", () => {
  expect(serverOfStart(nothing, null, managed)).toEqual({
    url,
    pin,
    code,
    insecureHttp: false,
    rejoin: false,
  });
});

it("stays with the organization that the computer belongs to", () => {
  const other = "https://other:3210";
  expect(serverOfStart(nothing, other, managed)).toMatchObject({ url: other, pin: null, code: undefined });
});

it("takes what the start names, for the managed server only", () => {
  const given = { ...nothing, backend: url, code: "GLN-AAAA-BBBB-CCCC" };
  expect(serverOfStart(given, null, managed)).toMatchObject({ pin, code: given.code });
  expect(() => serverOfStart({ ...given, backend: "https://other" }, null, managed)).toThrow(
    /no other server than https:\/\/office:3210.*https:\/\/other/,
  );
});

it("allows plain HTTP only where the settings say so", () => {
  const plain = { ...noManagedSettings, server: "http://office:3210", insecureHttp: true };
  expect(serverOfStart(nothing, null, plain)).toMatchObject({ insecureHttp: true });
  expect(serverOfStart({ ...nothing, backend: "http://else" }, null, noManagedSettings)).toMatchObject({
    insecureHttp: false,
  });
});

it("is none if nobody has named one", () => {
  expect(serverOfStart(nothing, null, noManagedSettings)).toBeNull();
});

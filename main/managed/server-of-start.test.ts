import { expect, it } from "vitest";
import { noManagedSettings } from "../../app/managed/managed-settings.ts";
import { noOrganizationRules } from "../../app/policy/rule-layers.ts";
import { managedAt, serverOfStart } from "./server-of-start.ts";

const url = "https://office:3210";
const pin = `sha256:${"ab".repeat(32)}`;
const otherPin = `sha256:${"cd".repeat(32)}`;
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
  const joining = { url, pin, code, insecureHttp: false, rejoin: false, joins: true };
  expect(serverOfStart(nothing, null, managed)).toEqual(joining);
  expect(serverOfStart(nothing, url, managed)).toEqual({ ...joining, joins: false });
});

it("moves a computer from another organization, as a new device", () => {
  expect(serverOfStart(nothing, "https://other:3210", managed)).toMatchObject({
    url,
    code,
    rejoin: true,
    joins: true,
  });
});

it("takes what the start names, for the managed server only", () => {
  const given = { ...nothing, backend: url, code: "GLN-AAAA-BBBB-CCCC" };
  expect(serverOfStart(given, null, managed)).toMatchObject({ pin, code: given.code });
  expect(() => serverOfStart({ ...given, backend: "https://other" }, null, managed)).toThrow(
    /no other server than https:\/\/office:3210.*https:\/\/other/,
  );
  expect(() => serverOfStart({ ...given, pin: otherPin }, null, managed)).toThrow(/given pin/);
});

it("allows a server on the computer itself, without the managed code", () => {
  const own = { ...nothing, backend: "http://127.0.0.1:3210" };
  expect(serverOfStart(own, null, managed)).toMatchObject({ url: own.backend, pin: null, code: undefined });
});

it("stays with the organization where nothing is managed", () => {
  expect(serverOfStart(nothing, url, noManagedSettings)).toMatchObject({ url, joins: false, rejoin: false });
  expect(serverOfStart(nothing, null, noManagedSettings)).toBeNull();
});

it("allows plain HTTP only where the settings say so", () => {
  const plain = { ...noManagedSettings, server: "http://office:3210", insecureHttp: true };
  expect(serverOfStart(nothing, null, plain)).toMatchObject({ insecureHttp: true });
  expect(serverOfStart({ ...nothing, backend: "http://else" }, null, noManagedSettings)).toMatchObject({
    insecureHttp: false,
  });
});

it("locks a computer with a code in the managed organization, and in no other", () => {
  expect(managedAt(managed, url).rules).toEqual({ values: { allowLeave: false }, locked: ["allowLeave"] });
  expect(managedAt(managed, "http://127.0.0.1:3210").rules).toEqual(noOrganizationRules);
  const free = { ...managed, rules: { values: { allowLeave: true }, locked: ["allowLeave"] as const } };
  expect(managedAt(free, url).rules).toEqual(free.rules);
  expect(managedAt({ ...noManagedSettings, server: url }, url).rules).toEqual(noOrganizationRules);
});

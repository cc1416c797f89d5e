import { expect, it } from "vitest";
import { confirmationNumber, deviceRequestHash, readDeviceRequest } from "./enrollment.ts";

const codeHash = "0123456789abcdef".repeat(4);

it.each(["laptop-042", "Ada’s laptop & desk #2", "Büro 100 %"])(
  "takes the device %s to the page",
  (device) => {
    expect(readDeviceRequest(deviceRequestHash({ codeHash, device }))).toEqual({ codeHash, device });
  },
);

it.each([
  "",
  "#/devices",
  "#/enroll-device",
  "#/enroll-device?device=laptop",
  `#/enroll-device?code=${codeHash}`,
  `#/enroll-device?code=${codeHash}&device=%20`,
  `#/enroll-device?code=${codeHash}&device=${"a".repeat(121)}`,
  `#/enroll-device?code=${codeHash.toUpperCase()}&device=laptop`,
  `#/enroll-device?code=GLN-7K2M-9QXD-4WHT&device=laptop`,
])("takes %j for no request", (hash) => {
  expect(readDeviceRequest(hash)).toBeNull();
});

it("shows hidden characters of a name", () => {
  const hash = deviceRequestHash({ codeHash, device: "lap\u202Etop" });
  expect(readDeviceRequest(hash)?.device).toBe("lap\ufffdtop");
});

it("has one number of six digits for a code", () => {
  expect(confirmationNumber(codeHash)).toBe("896 491");
  expect(confirmationNumber("0".repeat(64))).toBe("000 000");
});

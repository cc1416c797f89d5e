import { expect, it } from "vitest";
import { readTxt, txtOf } from "./announcement.ts";
import { fileTag, officeKeys } from "./secrets.ts";

const place = { id: "abc", address: "10.0.0.7", port: 4_711 };
const header = { ...place, sentAt: 1_800_000_000_000, ttl: 180 };
const sha256 = "a".repeat(64);
const [now, before] = officeKeys({ secret: "now", previous: "before" });

it("an announcement is understood by devices with the current or the previous secret", () => {
  const files = [
    { sha256, complete: true },
    { sha256: "b".repeat(64), complete: false },
  ];
  const read = readTxt(txtOf(before!, header, files), place, [now!, before!]);
  expect(read?.key).toBe(before);
  expect(read?.announcement).toEqual({
    ...header,
    files: [
      { tag: fileTag("before", sha256), complete: true },
      { tag: fileTag("before", "b".repeat(64)), complete: false },
    ],
  });
});

it("an announcement is meaningless without the secret, and names neither file nor organization", () => {
  const txt = txtOf(now!, header, [{ sha256, complete: true }]);
  expect(readTxt(txt, place, officeKeys({ secret: "another", previous: null }))).toBeNull();
  expect(txt.join(" ")).not.toContain(sha256.slice(0, 8));
  expect(txt.join(" ")).not.toContain("now");
});

it("an announcement is invalid from another address or after a change", () => {
  const txt = txtOf(now!, header, [{ sha256, complete: false }]);
  expect(readTxt(txt, { ...place, address: "10.0.0.8" }, [now!])).toBeNull();
  expect(readTxt(txt, { ...place, port: 1 }, [now!])).toBeNull();
  expect(
    readTxt(
      txt.map((field) => field.replace(/-$/, "+")),
      place,
      [now!],
    ),
  ).toBeNull();
  expect(readTxt(["o", "f=", ...txt, "f=x"], place, [now!])).toBeNull();
  expect(readTxt([], place, [now!])).toBeNull();
});

it.each([
  ["t", "1800000000001"],
  ["t", ""],
  ["t", "01800000000000"],
  ["l", "181"],
  ["l", "0"],
  ["l", "-1"],
])("an announcement with the changed field %s=%s is invalid", (field, value) => {
  const txt = txtOf(now!, header, []);
  expect(readTxt(txt, place, [now!])).not.toBeNull();
  const changed = txt.map((one) => (one.startsWith(`${field}=`) ? `${field}=${value}` : one));
  expect(readTxt(changed, place, [now!])).toBeNull();
  expect(readTxt([...txt, `${field}=${value}`], place, [now!])).toBeNull();
});

it("an announcement may not ask to be valid for longer than an hour", () => {
  expect(readTxt(txtOf(now!, { ...header, ttl: 3_600 }, []), place, [now!])).not.toBeNull();
  expect(readTxt(txtOf(now!, { ...header, ttl: 3_601 }, []), place, [now!])).toBeNull();
});

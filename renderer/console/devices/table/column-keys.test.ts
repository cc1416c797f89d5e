import { expect, it } from "vitest";
import { columnKeys, columnsIn, columnsText, usualColumns } from "./column-keys.ts";

it("shows the usual columns without a choice", () => {
  expect(columnsIn("")).toEqual(usualColumns);
  expect(columnsText(usualColumns)).toBe("");
});

it("keeps chosen columns in the address, in the table's order", () => {
  expect(columnsText(["version", "activity"])).toBe("name,activity,version");
  expect(columnsIn("version,name,activity")).toEqual(["name", "activity", "version"]);
  expect(columnsIn(columnsText(columnKeys))).toEqual(columnKeys);
});

it("always shows the name of a device, and leaves out columns that it does not know", () => {
  expect(columnsText([])).toBe("name");
  expect(columnsIn("nonsense,owner")).toEqual(["name", "owner"]);
});

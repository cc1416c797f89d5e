import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { donateReasons, holdReasons } from "./reasons.ts";

const page = readFileSync(new URL("../../docs/donor.md", import.meta.url), "utf8");

it.each([...Object.keys(holdReasons), ...Object.keys(donateReasons)])(
  "docs/donor.md tells of %s",
  (reason) => {
    expect(page).toContain(`\`${reason}\``);
  },
);

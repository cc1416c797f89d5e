import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { donateReasons, standbyReasons } from "./reasons.ts";

const page = readFileSync(new URL("../../docs/donor.md", import.meta.url), "utf8");

it.each([...Object.keys(standbyReasons), ...Object.keys(donateReasons)])(
  "has the reason %s on the page docs/donor.md",
  (reason) => {
    expect(page).toContain(`\`${reason}\``);
  },
);

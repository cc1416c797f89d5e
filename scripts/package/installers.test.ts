import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod";

const root = join(import.meta.dirname, "../..");
const ofBuilder = createRequire(createRequire(import.meta.url).resolve("electron-builder/package.json"));
const { validateConfiguration } = ofBuilder("app-builder-lib/out/util/config/config.js") as {
  validateConfiguration: (config: unknown, debugLogger: { isEnabled: boolean }) => Promise<void>;
};
const { load } = ofBuilder("js-yaml") as { load: (text: string) => unknown };
const templates = join(dirname(ofBuilder.resolve("app-builder-lib/package.json")), "templates");

const configuration = async (): Promise<unknown> =>
  load(await readFile(join(root, "electron-builder.yml"), "utf8"));
const template = (name: string): Promise<string> => readFile(join(templates, name), "utf8");

it("electron-builder's own schema accepts the configuration, and refuses one with a wrong option", async () => {
  const config = await configuration();
  await validateConfiguration(config, { isEnabled: false });
  const wrong = { ...(config as object), nsis: { silent: true } };
  await expect(validateConfiguration(wrong, { isEnabled: false })).rejects.toThrow(
    "does not match the API schema",
  );
});

it("the installers for Windows know the options that docs/donor/managed.md names", async () => {
  const options = (
    await Promise.all(["assistedInstaller.nsh", "uninstaller.nsh"].map((name) => template(`nsis/${name}`)))
  )
    .flatMap((text) => [...text.matchAll(/\$\{GetOptions\} \$R0 "([^"]+)"/g)])
    .map((match) => match[1]);
  expect(options).toEqual(expect.arrayContaining(["/allusers", "/currentuser", "/S"]));
});

it("the docs' places for all users are those of the installers", async () => {
  const config = z
    .object({
      productName: z.literal("Gleaner"),
      // Only an assisted installer knows both kinds of installations.
      nsis: z.object({ oneClick: z.literal(false), perMachine: z.literal(false) }),
      msi: z.object({ perMachine: z.literal(true) }),
      pkg: z.object({ isRelocatable: z.literal(false) }),
    })
    .parse(await configuration());
  expect(config.pkg).not.toHaveProperty("installLocation");
  expect(await template("msi/template.xml")).toContain('<Property Id="ALLUSERS" Secure="yes" Value="1"/>');
});

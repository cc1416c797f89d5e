import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { calls } from "../../app/contract/donor-calls.ts";
import { electronFile, electronFolder } from "../../launch/donor/shell.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { coresOfThisComputer } from "../../main/supervisor/plan/physical-cores.ts";
import { debDepends, makeDeb } from "../../scripts/package/linux/deb.ts";
import { makeRpm } from "../../scripts/package/linux/rpm.ts";
import { packProgram } from "../../scripts/package/pack-program.ts";
import { debRoot, lackingForPackages, type PackageRoot, rpmRoot } from "./package-root.ts";
import { packedNames, packedPackages, withDependencies } from "./packed-packages.ts";
import { withVersion } from "./with-version.ts";

/** The installed desktop program: packed for this machine, with its command `gleaner` on its own Electron. */
const root = resolve(import.meta.dirname, "../..");
const lacking =
  process.platform !== "linux"
    ? "the program is packed for Linux here"
    : existsSync(electronFile(process.env))
      ? null
      : "there is no Electron here (npx install-electron)";

const run = promisify(execFile);
const [lackingDeb, lackingRpm] = [lackingForPackages("deb"), lackingForPackages("rpm")];
const reason = (lacking: string | null): string => (lacking === null ? "" : ` (${lacking})`);

type Ran = { readonly code: number; readonly out: string; readonly err: string };

let folder: string;
let program: string;
let farm: Farm;
let env: NodeJS.ProcessEnv;

/** Runs the command through a link, as the deb installs it. */
function gleaner(...args: readonly string[]): Promise<Ran> {
  return new Promise((done) => {
    execFile(join(folder, "gleaner"), args, { env, timeout: 240_000 }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

describe.skipIf(lacking !== null)(`an installed program${reason(lacking)}`, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gleaner-installed-"));
    program = await packProgram(electronFolder(process.env), join(folder, "dist"));
    await symlink(join(program, "resources/bin/gleaner"), join(folder, "gleaner"));
    farm = await startFarm();
    env = {
      ...process.env,
      GLEANER_DATA: undefined,
      XDG_CONFIG_HOME: join(folder, "config"),
      GLEANER_THREADS: "1",
    };
  }, 400_000);
  afterAll(async () => {
    await farm.close();
    await rm(folder, { recursive: true });
  });

  test("the package contains llama.cpp for this processor and for Vulkan, but neither CUDA nor other systems", async () => {
    const libraries = join(program, "resources/app.asar.unpacked/node_modules/@node-llama-cpp");
    const expected = { x64: ["linux-x64", "linux-x64-vulkan"], arm64: ["linux-arm64"] }[
      process.arch as string
    ];
    expect((await readdir(libraries)).sort()).toEqual(expected);
  });

  test("the package contains the built program, and neither sources, tests nor the backend", async () => {
    expect(await packedNames(join(program, "resources/app.asar"))).toEqual({
      top: ["node_modules", "out", "package.json"],
      out: ["headless", "main", "preload", "renderer"],
    });
  });

  test("the package contains only packages that are not bundled, and those that they need", async () => {
    const packed = await packedPackages(join(program, "resources/app.asar"));
    expect(packed).toContain("node-llama-cpp");
    const needed = await withDependencies(root, ["node-llama-cpp", "koffi", "systeminformation"]);
    expect(packed.filter((name) => !needed.has(name))).toEqual([]);
  });

  test("the package contains each library and the program's own languages once", async () => {
    const libraries = join(program, "resources/app.asar.unpacked/node_modules/@node-llama-cpp");
    const files = (await readdir(libraries, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const hashes = await Promise.all(
      files
        .filter(({ name }) => name.endsWith(".so"))
        .map(async ({ parentPath, name }) =>
          createHash("sha256")
            .update(await readFile(join(parentPath, name)))
            .digest("hex"),
        ),
    );
    expect(new Set(hashes).size).toBe(hashes.length);
    expect((await readdir(join(program, "locales"))).toSorted()).toEqual(["de.pak", "en-US.pak"]);
  });

  test("the packaged program counts this computer's cores with its own library", async () => {
    const library = join(program, "resources/app.asar/node_modules/systeminformation/lib/index.js");
    const cores = await coresOfThisComputer(join(program, "gleaner-desktop"), library);
    expect(cores.physical).toBeGreaterThan(0);
    expect(cores).toEqual(await coresOfThisComputer());
  });

  test("the installed command controls a running donor in a given folder", async () => {
    const donor = await farm.startDonor("told", { donateNowMinutes: null });
    const { code, out, err } = await gleaner(
      ...["status", "--json", "--data", join(farm.folder.donorFolder, "told")],
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(calls.status.answer.parse(JSON.parse(out))).toMatchObject({ device: "told" });
    await donor.stop();
  });

  test("the installed command says that no donor runs, and looks in the desktop program's folder", async () => {
    const { code, out, err } = await gleaner("status");
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(err).toContain(`looked in ${join(folder, "config/gleaner")})`);
    expect((await gleaner("backup")).code).toBe(2);
  });

  test("the installed command describes a model's file for the catalog", async () => {
    const file = join(program, "resources/demo-model/gleaner-demo-q8.gguf");
    const source = "https://models.example.org/demo.gguf";
    const { code, out, err } = await gleaner("entry", file, "--source", source);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { sha256 } = await readDemoModel();
    expect(JSON.parse(out)).toMatchObject({ source, sha256 });
  });

  test("the installed command donates without a window, controls that donor, and uses the packaged libraries", async () => {
    const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, "installed");
    const donating = spawn(
      join(folder, "gleaner"),
      ["donate", "--headless", "--backend", farm.backend.url, "--panel-port", "0", "--name", "installed"],
      { env: { ...env, GLEANER_CODE: code }, stdio: "ignore" },
    );
    const ended = new Promise((done) => donating.once("exit", done));
    try {
      const device = async (): Promise<string | null> => {
        const { code, out } = await gleaner("status", "--json");
        return code === 0 ? calls.status.answer.parse(JSON.parse(out)).device : null;
      };
      await expect.poll(device, { timeout: 120_000, interval: 1_000 }).toBe("installed");
      const ready = async (): Promise<readonly unknown[]> =>
        calls.models.answer.parse(JSON.parse((await gleaner("downloads", "--json")).out)).models;
      await expect
        .poll(ready, { timeout: 120_000, interval: 1_000 })
        .toMatchObject([{ modelId: farm.modelId, state: "ready" }]);
      expect(await gleaner("pause")).toMatchObject({ code: 0, err: "" });
      const bench = await gleaner("bench", "--json");
      expect(calls.bench.answer.parse(JSON.parse(bench.out)).models, bench.out).toMatchObject([
        { kind: "measured", modelId: farm.modelId },
      ]);
      expect(existsSync(join(folder, "config/gleaner/device.json"))).toBe(true);
    } finally {
      donating.kill("SIGTERM");
      await ended;
    }
  }, 400_000);

  describe.skipIf(lackingDeb !== null)(`as a deb${reason(lackingDeb)}`, () => {
    let root: PackageRoot;
    beforeAll(async () => {
      root = await debRoot(join(folder, "deb-root"));
      await root.install(await makeDeb(program, folder, { uncompressed: true }));
    });

    test("it installs its commands, its entry in the menu, and a sandbox for every kernel", async () => {
      expect(await installedIn(root)).toEqual({ ...installed, kind: "deb" });
    });

    test.skipIf(!existsSync("/etc/debian_version") || !existsSync("/usr/bin/objdump"))(
      "it depends on the packages of all libraries that its programs are linked with",
      async () => {
        const named = debDepends.flatMap((depends) => depends.split(" | ").map((one) => one.split(" ")[0]));
        const libraries = await librariesOf(program);
        const { stdout } = await run("dpkg", ["-S", ...libraries.map((library) => `*/${library}`)]);
        // Lines such as "libgbm1:amd64: /usr/lib/x86_64-linux-gnu/libgbm.so.1"
        const owned = stdout.split("\n").filter((line) => named.includes(line.split(":")[0]));
        const lacking = libraries.filter((library) => !owned.some((line) => line.endsWith(`/${library}`)));
        expect(libraries.length).toBeGreaterThan(25);
        expect(lacking).toEqual([]);
      },
    );

    test("a newer package replaces it, and its removal leaves only what it did not bring", async () => {
      const settings = join(root.folder, "etc/gleaner");
      await mkdir(settings, { recursive: true });
      const newer = join(folder, "newer", basename(program));
      await mkdir(join(newer, ".."));
      await withVersion(program, "9.9.9", newer);
      await root.install(await makeDeb(newer, folder, { version: "9.9.9", uncompressed: true }));
      expect((await installedIn(root)).version).toBe("9.9.9");
      await root.remove();
      const left = await readdir(root.folder, { recursive: true });
      expect(left.filter((path) => !path.startsWith("var") && !isParentOf(path, left))).toEqual([
        "etc/gleaner",
      ]);
    });
  });

  test.skipIf(lackingRpm !== null)(
    `as an rpm it installs the same, and its removal leaves nothing${reason(lackingRpm)}`,
    async () => {
      const root = await rpmRoot(join(folder, "rpm-root"));
      await root.install(await makeRpm(program, folder, { uncompressed: true }));
      expect(await installedIn(root)).toEqual({ ...installed, kind: "rpm" });
      await root.remove();
      expect(
        (await readdir(root.folder, { recursive: true })).filter((path) => /gleaner/i.test(path)),
      ).toEqual([]);
    },
  );
});

/** Each kind of package installs these. */
const installed = {
  version: "0.1.0",
  links: ["/opt/Gleaner/resources/bin/gleaner", "/opt/Gleaner/gleaner-desktop"],
  entry: {
    Exec: "/opt/Gleaner/gleaner-desktop %U",
    MimeType: "x-scheme-handler/gleaner;",
    StartupWMClass: "gleaner",
  },
  icons: ["128x128", "256x256", "32x32", "48x48", "512x512", "64x64"],
  sandbox: 0o4755,
};

async function installedIn(root: PackageRoot) {
  const at = (path: string): string => join(root.folder, path);
  const [command, ...args] = root.command("gleaner");
  const entry = await readFile(at("usr/share/applications/gleaner.desktop"), "utf8");
  const valueOf = (key: string): string | undefined =>
    entry
      .split("\n")
      .find((line) => line.startsWith(`${key}=`))
      ?.slice(key.length + 1);
  const icons = at("usr/share/icons/hicolor");
  const sizes = (await readdir(icons)).filter((size) => existsSync(join(icons, size, "apps/gleaner.png")));
  return {
    version: (await run(command, [...args, "--version"])).stdout.trim(),
    links: await Promise.all(["gleaner", "gleaner-desktop"].map((name) => readlink(at(`usr/bin/${name}`)))),
    entry: {
      Exec: valueOf("Exec"),
      MimeType: valueOf("MimeType"),
      StartupWMClass: valueOf("StartupWMClass"),
    },
    icons: sizes.toSorted(),
    sandbox: (await lstat(at("opt/Gleaner/chrome-sandbox"))).mode & 0o7777,
    kind: await readFile(at("opt/Gleaner/resources/package-type"), "utf8"),
  };
}

/** The system's libraries that the programs of a folder are linked with. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const names = (await readdir(program, { recursive: true })).filter((name) =>
    /(^|\/)(gleaner-desktop|chrome_crashpad_handler)$|\.so(\.|$)|\.node$/.test(name),
  );
  const own = new Set(names.map((name) => basename(name)));
  const linked = await Promise.all(
    names.map(async (name) => {
      const { stdout } = await run("objdump", ["-p", join(program, name)]);
      return [...stdout.matchAll(/NEEDED\s+(\S+)/g)].map((match) => match[1] ?? "");
    }),
  );
  return [...new Set(linked.flat())].filter((library) => !own.has(library) && !/musl/.test(library));
}

function isParentOf(path: string, paths: readonly string[]): boolean {
  return paths.some((other) => other.startsWith(`${path}/`));
}

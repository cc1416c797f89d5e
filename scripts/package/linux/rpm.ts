import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { archOf, type PackageFacts, packageFacts, type PackageOptions, packageTree } from "./package-tree.ts";

const run = promisify(execFile);

/** Makes a package for Fedora, RHEL and openSUSE of a packed program, with rpmbuild. Returns its path. */
export async function makeRpm(
  program: string,
  output: string,
  options: PackageOptions = {},
): Promise<string> {
  const facts = await packageFacts(options.version);
  const arch = { x64: "x86_64", arm64: "aarch64" }[archOf(program)];
  const folder = await mkdtemp(join(tmpdir(), "gleaner-rpm-"));
  try {
    const tree = join(folder, "tree");
    await packageTree(program, tree, "rpm");
    const spec = join(folder, "gleaner.spec");
    await writeFile(spec, specOf(facts, options.uncompressed === true ? "w0.ufdio" : "w7T0.xzdio"));
    await run(
      "rpmbuild",
      ["-bb", "--target", arch, "--buildroot", tree, "--define", `_topdir ${join(folder, "build")}`, spec],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    const file = `${facts.name}-${facts.version}-1.${arch}.rpm`;
    await mkdir(output, { recursive: true });
    const path = resolve(output, file);
    await copyFile(join(folder, "build/RPMS", arch, file), path);
    return path;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** rpmbuild finds the libraries that the files need. The program's own ones are no requirement, and nothing that others could use. */
function specOf(facts: PackageFacts, payload: string): string {
  return `
%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
%global _binary_payload ${payload}
%global __requires_exclude ^(libffmpeg|libggml|libllama|libvulkan|libc\\\\.musl)

Name: ${facts.name}
Version: ${facts.version}
Release: 1
Summary: ${facts.summary}
License: ${facts.license}
AutoProv: no
Requires: xdg-utils
Recommends: libnotify.so.4()(64bit)
Recommends: libsecret-1.so.0()(64bit)
Recommends: libvulkan.so.1()(64bit)

%description
${facts.description}

%files
%defattr(-,root,root,-)
/opt/Gleaner
%attr(4755,root,root) /opt/Gleaner/chrome-sandbox
/usr/bin/gleaner
/usr/bin/gleaner-desktop
/usr/share/applications/gleaner.desktop
/usr/share/icons/hicolor/*/apps/gleaner.png
%license /usr/share/licenses/gleaner
`;
}

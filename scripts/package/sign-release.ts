import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { release, releaseFileName, releaseStatement } from "../../app/signatures/release.ts";

/*
 * Signs a release of the desktop program (docs/donor/updates.md):
 *   node scripts/package/sign-release.ts --new-key release-key.pem
 *   node scripts/package/sign-release.ts dist/Gleaner-0.2.0.AppImage --key release-key.pem --percent 10
 */

const platforms: Readonly<Record<string, string>> = {
  ".AppImage": "linux",
  ".exe": "win32",
  ".zip": "darwin",
};

/** Makes a private key that only its owner can read. Returns the public key in base64url. */
export async function makeReleaseKey(path: string): Promise<string> {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  await writeFile(path, pem, { mode: 0o600, flag: "wx" });
  return createPublicKey(privateKey).export({ format: "jwk" }).x ?? "";
}

type Given = {
  readonly key: string;
  readonly version: string;
  readonly channel?: string;
  readonly arch?: string;
  readonly percent?: number;
};

/** Writes the release's file beside the program's. Returns its path. Throws an Error that names what is wrong. */
export async function signRelease(program: string, given: Given): Promise<string> {
  const platform = platforms[extname(program)];
  if (platform === undefined) throw new Error(`${program} is no AppImage, exe or zip.`);
  const hash = createHash("sha512");
  await pipeline(createReadStream(program), hash);
  const { version, channel = "stable", arch = process.arch, percent = 100 } = given;
  const file = {
    name: basename(program),
    sha512: hash.digest("base64"),
    sizeBytes: (await stat(program)).size,
  };
  const signed = release.parse({ channel, platform, arch, version, percent, file });
  const statement = releaseStatement(signed);
  const key = createPrivateKey(await readFile(given.key));
  const signature = sign(null, Buffer.from(statement), key).toString("base64url");
  const path = join(dirname(program), releaseFileName(signed));
  await writeFile(path, `${JSON.stringify({ statement, signature })}\n`);
  return path;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "new-key": { type: "string" },
      key: { type: "string" },
      version: { type: "string" },
      channel: { type: "string" },
      arch: { type: "string" },
      percent: { type: "string" },
    },
  });
  const [program] = positionals;
  if (values["new-key"] !== undefined) {
    console.log(`"key": "${await makeReleaseKey(values["new-key"])}"`);
  } else if (program === undefined || values.key === undefined) {
    console.error("Name the program's file, and the private key with --key. Make a key with --new-key FILE.");
    process.exitCode = 64;
  } else {
    const path = join(import.meta.dirname, "../../package.json");
    const own = JSON.parse(await readFile(path, "utf8")) as { readonly version: string };
    const { key, version = own.version, channel, arch, percent } = values;
    const signed = await signRelease(program, {
      key,
      version,
      ...(channel === undefined ? {} : { channel }),
      ...(arch === undefined ? {} : { arch }),
      ...(percent === undefined ? {} : { percent: Number(percent) }),
    });
    console.log(signed);
  }
}

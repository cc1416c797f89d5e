import * as z from "zod";
import { isVersion } from "../versions.ts";
import { signaturePattern, statement } from "./statements.ts";

/*
 * The makers of Gleaner sign each release of the desktop program. The public key is in the program, which installs nothing
 * that this key did not sign.
 */

/** Most computers follow `stable`. `early` is for those that try a version first. */
export const updateChannels = ["stable", "early"] as const;
export type UpdateChannel = (typeof updateChannels)[number];

/** The programs that a release is for: Node's names of systems and processors. */
const target = z.object({
  channel: z.enum(updateChannels),
  platform: z.enum(["linux", "win32", "darwin"]),
  arch: z.enum(["x64", "arm64"]),
});
export type ReleaseTarget = z.infer<typeof target>;

/** One version for one kind of computer. */
export const release = z
  .object({
    ...target.shape,
    version: z.string().refine(isVersion, "has to be three numbers, such as 0.2.0"),
    /** The share of the computers that get this version, from 0 to 100. */
    percent: z.number().int().min(0).max(100),
    file: z
      .object({
        /** Beside the release's own file. */
        name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/),
        /** In base64, as electron-updater compares it. */
        sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
        sizeBytes: z
          .number()
          .int()
          .min(1)
          .max(4 * 2 ** 30),
      })
      .strict(),
  })
  .strict();
export type Release = z.infer<typeof release>;

const purpose = "gleaner.release";

/** The text that is signed. */
export function releaseStatement(signed: Release): string {
  return statement(purpose, 1, signed);
}

/** The signed text, parsed. */
export const releaseClaim = z.tuple([z.literal(purpose), z.literal(1), release]);

/** A file of a release. One file has the text and its signature, so a server never shows one without the other. */
export const signedRelease = z
  .object({ statement: z.string().max(4_000), signature: z.string().regex(signaturePattern) })
  .strict();

/** The name of a release's file in the folder of releases. */
export function releaseFileName({ channel, platform, arch }: ReleaseTarget): string {
  return `${channel}-${platform}-${arch}.json`;
}

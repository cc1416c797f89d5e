import { hostname } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { pin } from "../connection/pin.ts";

export const usage = `node main/headless.ts --data DIR [options]
  --backend URL       the organization's server (default: the one that this device enrolled with)
  --pin PIN           accept only a backend with this key: sha256: and 64 hexadecimal digits
  --insecure-http     allow plain HTTP to another computer
  --code CODE         enroll with this code, unless this device is already enrolled
  --rejoin            with --code, join again as a new device; the former device's file is kept
  --name NAME         the device's name in the organization (default: its host name)
  --donate-now MIN    donate for this many minutes from the start, even while in use
  --unattended        do not require idleness, because nobody uses this computer
  --panel-port PORT   serve the panel on loopback; 0 takes a free port (default: no panel). If repeated, the first port
                      that is free
  --panel-dir DIR     the built panel (default: out/renderer)
  --model FILE        manifest of a model file that came with the program; may be repeated
  --with-parent       end when standard input ends
  --verbose           log more
Environment variables: GLEANER_DATA, GLEANER_BACKEND, GLEANER_PIN, GLEANER_INSECURE_HTTP=1, GLEANER_CODE,
GLEANER_NAME.`;

export const backendWords = "has to be the http or https address that your administrator gives you";

const codeWords = "is no enrollment code, such as GLN-7K2M-9QXD-4WHT";

const schema = z.object({
  data: z
    .string({ error: "is missing" })
    .min(1)
    .transform((path) => resolve(path)),
  backend: z
    .url({
      protocol: /^https?$/,
      error: backendWords,
    })
    // Convex's client appends a path that starts with a slash.
    .transform((url) => new URL(url).origin)
    .optional(),
  pin: pin.optional(),
  insecureHttp: z.boolean().default(false),
  code: z.string().trim().min(4, codeWords).max(200, codeWords).optional(),
  rejoin: z.boolean().default(false),
  name: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .default(hostname() || "device"),
  donateNow: z.coerce.number().int().min(1).max(1_440).optional(),
  unattended: z.boolean().default(false),
  panelPort: z.array(z.coerce.number().int().min(0).max(65_535)).default([]),
  panelDir: z.string().min(1).optional(),
  model: z.array(z.string().min(1)).default([]),
  withParent: z.boolean().default(false),
  verbose: z.boolean().default(false),
});

export type Arguments = z.output<typeof schema>;

export type ParsedArguments =
  { readonly kind: "ok"; readonly value: Arguments } | { readonly kind: "invalid"; readonly reason: string };

/** The options that the desktop program has, too. */
export const sharedOptions = {
  data: { type: "string" },
  backend: { type: "string" },
  pin: { type: "string" },
  "insecure-http": { type: "boolean" },
  code: { type: "string" },
  rejoin: { type: "boolean" },
  name: { type: "string" },
  "donate-now": { type: "string" },
  unattended: { type: "boolean" },
  model: { type: "string", multiple: true },
  "with-parent": { type: "boolean" },
  verbose: { type: "boolean" },
} as const;

/** Flags override the environment. Secrets may come by either, but process lists do not show the environment. */
export function parseArguments(argv: readonly string[], env: NodeJS.ProcessEnv): ParsedArguments {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ...sharedOptions,
        "panel-port": { type: "string", multiple: true },
        "panel-dir": { type: "string" },
      },
    });
    const parsed = schema.safeParse({
      ...values,
      data: values.data ?? env["GLEANER_DATA"],
      backend: values.backend ?? env["GLEANER_BACKEND"],
      pin: values.pin ?? env["GLEANER_PIN"],
      insecureHttp: values["insecure-http"] ?? env["GLEANER_INSECURE_HTTP"] === "1",
      code: values.code ?? env["GLEANER_CODE"],
      name: values.name ?? env["GLEANER_NAME"],
      donateNow: values["donate-now"],
      panelPort: values["panel-port"],
      panelDir: values["panel-dir"],
      withParent: values["with-parent"],
    });
    if (parsed.success) return { kind: "ok", value: parsed.data };
    return { kind: "invalid", reason: parsed.error.issues.map(describe).join("; ") };
  } catch (error) {
    return { kind: "invalid", reason: error instanceof Error ? error.message : String(error) };
  }
}

function describe(issue: z.core.$ZodIssue): string {
  const flag = String(issue.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${flag}: ${issue.message}`;
}

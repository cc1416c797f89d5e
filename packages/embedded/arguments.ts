import { parseArgs } from "node:util";
import * as z from "zod";
import { logFormats, logLevels } from "./operations/log.ts";
import { errorMessage } from "./values/errors.ts";

const port = z.coerce.number().int().min(0).max(65_535);
/** Real networks have shorter delays. */
const latency = z.coerce.number().min(0).max(10_000).default(0);
const staticFolder = z
  .string()
  .regex(/^\/[^=]*=.+$/, "expected /path=folder")
  .transform((text) => {
    const equals = text.indexOf("=");
    return { path: text.slice(0, equals), dir: text.slice(equals + 1) };
  });

/** A public origin of this machine, usually a proxy's: `https://name`, with an optional port. */
const publicUrl = z
  .url({ protocol: /^https?$/, error: "expected http(s)://NAME" })
  .transform((text, context) => {
    const url = new URL(text);
    if (url.href !== `${url.origin}/`) {
      context.addIssue({ code: "custom", message: "expected no more than http(s)://NAME, without a path" });
      return z.NEVER;
    }
    return url.origin;
  });

const count = z.coerce.number().int().positive();

const required = (missing: string) => z.string(missing).min(1, missing);

const options = z.object({
  convex: required("--convex FOLDER is missing"),
  data: required("--data FILE is missing"),
  host: z.string().min(1).default("127.0.0.1"),
  port: port.default(3210),
  sitePort: port.optional(),
  tlsCert: z.string().min(1).optional(),
  tlsKey: z.string().min(1).optional(),
  publicUrl: publicUrl.optional(),
  publicSiteUrl: publicUrl.optional(),
  static: z.array(staticFolder).default([]),
  allowHost: z.array(z.string().min(1)).default([]),
  passEnv: z.array(z.string().min(1)).default([]),
  onStart: z.array(z.string().regex(/^[\w/]+:\w+$/, "expected a name such as file:function")).default([]),
  adminKeyFile: z.string().optional(),
  maxFileMib: z.coerce.number().int().positive().default(2_048),
  maxConnections: count.optional(),
  maxAddressConnections: count.optional(),
  maxAnonymousMessageKib: count.optional(),
  maxAnonymousConnectionKib: count.optional(),
  maxAnonymousMib: count.optional(),
  logFormat: z.enum(logFormats).optional(),
  logLevel: z.enum(logLevels).default("info"),
  logRefusals: z.boolean().default(false),
  readLatencyMs: latency,
  commitLatencyMs: latency,
  withParent: z.boolean().default(false),
});

const schema = options.refine(
  ({ tlsCert, tlsKey }) => (tlsCert === undefined) === (tlsKey === undefined),
  "--tls-cert and --tls-key are needed together",
);

/** Options that may be repeated. */
const lists = ["static", "allowHost", "passEnv", "onStart"];
const switches = ["withParent", "logRefusals"];

/** The flag of each option: `--site-port` sets `sitePort`. */
const flags = Object.keys(options.shape).map((name) => ({
  name,
  flag: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  type: switches.includes(name) ? ("boolean" as const) : ("string" as const),
  multiple: lists.includes(name),
}));

type Arguments = Omit<z.output<typeof schema>, "sitePort"> & { readonly sitePort: number };

type ParsedArguments =
  | { readonly kind: "ok"; readonly value: Arguments }
  | { readonly kind: "help" }
  | { readonly kind: "invalid"; readonly reason: string };

export const usage = `Usage: convex-embedded --convex FOLDER --data FILE [options]
Runs a Convex project's functions on this machine, with the database in one SQLite file.

  --convex FOLDER        the folder with the functions, usually "convex"
  --data FILE            the SQLite file; created if missing
  --admin-key-file FILE  file with the admin key; by default CONVEX_EMBEDDED_ADMIN_KEY in the environment
  --host ADDRESS         address to listen on (127.0.0.1)
  --port PORT            port of the API, WebSocket and HTTP (3210; 0 picks a free port)
  --site-port PORT       port of the HTTP actions (the API's port + 1)
  --tls-cert FILE        certificate and chain in PEM: both ports then need TLS, except from this machine's loopback
  --tls-key FILE         its private key in PEM, which only its owner may read. Changed files are read again
  --public-url URL       URL of the API behind a proxy, as https://NAME
  --public-site-url URL  URL of the HTTP actions behind a proxy
  --static /PATH=FOLDER  serve a built page beside the HTTP actions; may be repeated
  --allow-host NAME      another host name to answer to on loopback; may be repeated
  --pass-env NAME        let functions read this environment variable; may be repeated
  --on-start NAME        run this internal mutation, such as file:function, before any client is answered, until it
                         returns something else than true; may be repeated
  --max-file-mib N       largest stored file in MiB (2048)
  --max-connections N    most WebSockets (20000)
  --max-address-connections N        most WebSockets, and most HTTP connections, of one address (2000)
  --max-anonymous-message-kib N      without a user's token or the admin key: largest message or call (2048),
  --max-anonymous-connection-kib N   memory for one WebSocket's queries and calls (4096),
  --max-anonymous-mib N              and for all WebSockets and request bodies (256)
  --log-format FORMAT    json or text, on standard error (text in a terminal, else json)
  --log-level LEVEL      debug, info, warn or error (info)
  --log-refusals         log the message of a ConvexError's data, too: only if the app's messages quote no caller
  --read-latency-ms N    delay each read, to imitate a distant database (0)
  --commit-latency-ms N  delay each commit (0)
  --with-parent          stop when standard input ends
  --help                 show this text`;

/** Parses the command line. The site's port defaults to the API's port plus one. */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  let given: ReturnType<typeof parseArgs>["values"];
  try {
    ({ values: given } = parseArgs({
      args: [...argv],
      options: {
        help: { type: "boolean", short: "h" },
        ...Object.fromEntries(flags.map(({ flag, type, multiple }) => [flag, { type, multiple }])),
      },
    }));
  } catch (error) {
    return { kind: "invalid", reason: errorMessage(error) };
  }
  if (given["help"] === true) return { kind: "help" };
  const parsed = schema.safeParse(Object.fromEntries(flags.map(({ name, flag }) => [name, given[flag]])));
  if (!parsed.success) return { kind: "invalid", reason: z.prettifyError(parsed.error) };
  const { sitePort, ...others } = parsed.data;
  return {
    kind: "ok",
    value: { ...others, sitePort: sitePort ?? (others.port === 0 ? 0 : others.port + 1) },
  };
}

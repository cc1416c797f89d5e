import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type Received = { readonly to: readonly string[]; readonly from: string; readonly text: string };

export type Mailbox = {
  readonly port: number;
  /** All mails that came, oldest first. */
  readonly mails: Received[];
  close(): Promise<void>;
};

export const mailUser = "gleaner";
export const mailPassword = "a password for mails";

/** A real SMTP server on this computer. It asks for a sign-in, if wanted, and refuses the address nobody@example.org. */
export async function startMailbox({ auth = false }: { readonly auth?: boolean } = {}): Promise<Mailbox> {
  const mails: Received[] = [];
  const server = new SMTPServer({
    authOptional: !auth,
    // Tests also sign in without TLS, on this computer only.
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === mailUser && password === mailPassword) done(null, { user: username });
      else done(new Error("Wrong user or password"));
    },
    onRcptTo: ({ address }, _session, done) => {
      if (address === "nobody@example.org") done(new Error("No such mailbox"));
      else done();
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, from, text: readable(Buffer.concat(chunks).toString()) });
        done();
      });
    },
  });
  // A refused certificate ends a connection, which is no failure of the test.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, close: async () => await new Promise((resolve) => server.close(() => resolve())) };
}

/** Undoes the line breaks and the signs of quoted-printable text. */
function readable(raw: string): string {
  return raw
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

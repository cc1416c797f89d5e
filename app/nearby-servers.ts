import * as z from "zod";
import { visibleText } from "./format/visible.ts";
import { isJoinAddress } from "./join-command.ts";

/** The service under which a server announces itself on its network (DNS-SD). */
export const nearbyService = "_gleaner-server._tcp.local";

/** The most servers that a computer shows. */
export const mostNearbyServers = 20;

/** The form of a pin of a server's key. */
export const serverPin = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** A server as it announces itself. Nothing of it is proven: any computer in the network can announce anything. */
export const nearbyServer = z
  .object({
    /** The name of its first organization. */
    organization: z.string().min(1).max(120),
    url: z.string().max(200).startsWith("https:").refine(isJoinAddress),
    /**
     * The pin of its own certificate, which a person compares before a code is sent. A server without one is not offered: anybody
     * can have a certificate that authorities know.
     */
    pin: serverPin,
  })
  .strict();

export type NearbyServer = z.output<typeof nearbyServer>;

/** A server's announcement as the fields of a TXT record. */
export function nearbyFields({ organization, url, pin }: NearbyServer): readonly string[] {
  return ["v=1", `name=${shortName(organization)}`, `url=${url}`, `pin=${pin}`];
}

/** Reads the fields of such a record, which can come from anybody. Null if they are no announcement. */
export function readNearbyServer(fields: readonly string[]): NearbyServer | null {
  const valueOf = (key: string): string | null =>
    fields.find((field) => field.startsWith(`${key}=`))?.slice(key.length + 1) ?? null;
  if (valueOf("v") !== "1") return null;
  const parsed = nearbyServer.safeParse({
    organization: shortName(valueOf("name") ?? ""),
    url: valueOf("url"),
    pin: valueOf("pin"),
  });
  return parsed.success ? parsed.data : null;
}

/** A field has at most 255 bytes, and a character at most four. */
function shortName(name: string): string {
  return Array.from(visibleText(name).trim()).slice(0, 60).join("");
}

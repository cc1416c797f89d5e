import { checkArchives } from "../../app/archives/check-archive.ts";
import { keptDays } from "../../app/archives/kinds.ts";
import { plural } from "../../app/format/quantity.ts";
import type { ReceiptCrypto } from "../../app/receipts/check-receipt.ts";
import { keyFingerprint } from "../../app/signatures/catalog.ts";
import { CommandError } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";

/** Checks a file of archives, and prints the result. Throws if something does not fit. */
export async function verifyArchives(
  text: string,
  crypto: ReceiptCrypto,
  { key, json }: { readonly key: string | null; readonly json: boolean },
): Promise<void> {
  const { archives, problem } = await checkArchives(text, crypto, key);
  const keys = [...new Set(archives.flatMap(({ end }) => end.signedBy?.key ?? []))];
  if (json) {
    const rows = archives.map(({ head, sha256 }) => {
      const { kind, month, number, rows: count, organizationId } = head;
      return { kind, month, number, rows: count, organizationId, sha256 };
    });
    sayJson({ ok: problem === null, problem, archives: rows, organizationKeys: keys });
  }
  if (problem !== null) throw new CommandError(`Not OK. ${problem}`);
  if (json) return;
  const lines = archives.map(({ head: { kind, month, number, rows }, sha256 }) => {
    const name = `${keptDays[kind].name}, ${month}, number ${String(number)}`;
    return `${name}: ${plural(rows, ["# row", "# rows"])}, SHA-256 ${sha256}`;
  });
  const compare =
    key === null
      ? ` Compare the key with the one that you know: ${keys.map(keyFingerprint).join(", ")}.`
      : "";
  const count = plural(archives.length, ["# archive", "# archives"]);
  say(`${lines.join("\n")}\nOK. ${count}, unchanged and signed by the organization.${compare}`);
}

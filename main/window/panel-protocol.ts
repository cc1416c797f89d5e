import { readFile } from "node:fs/promises";
import { protocol, type Session } from "electron";
import { panelFile } from "../face/panel-files.ts";
import { sentPanelPolicy } from "../face/panel-policy.ts";
import { panelScheme } from "./panel-address.ts";

/** The panel talks to its donor only over IPC, so it connects to nothing. */
const policy = sentPanelPolicy([]);

/** Must run before the app is ready. */
export function claimPanelScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: panelScheme, privileges: { standard: true, secure: true } },
  ]);
}

/** Serves the built panel below `root` to this session, with its content security policy on every answer. */
export function servePanelFiles(session: Session, root: string): void {
  session.protocol.handle(panelScheme, async (request) => {
    const file = panelFile(root, request.url);
    if (file === null || request.method !== "GET") return new Response(null, { status: 404 });
    try {
      const body = new Uint8Array(await readFile(file.path));
      return new Response(body, {
        headers: {
          "content-type": file.type,
          "content-security-policy": policy,
          "x-content-type-options": "nosniff",
        },
      });
    } catch {
      return new Response(null, { status: 404 });
    }
  });
}

import { app } from "electron";
import { setupHash } from "../../app/contract/invitation.ts";
import { appScheme } from "../../app/join-link.ts";
import { type AnswerCall, answerCalls } from "../face/answer-call.ts";
import { type Agreed, firstRun } from "../first-run/first-run.ts";
import type { Arguments } from "../headless/arguments.ts";
import type { Log } from "../log.ts";
import type { PanelOrigin } from "../window/panel-address.ts";
import type { PanelWindow } from "../window/panel-window.ts";

type Asked = {
  readonly options: Pick<Arguments, "name">;
  /** The program was started without a window, for example at login. */
  readonly hidden: boolean;
  readonly panel: PanelOrigin;
  readonly window: PanelWindow;
  readonly serveCalls: (answer: AnswerCall) => void;
  readonly log: Log;
};

/**
 * Opens the window on the page of the first start, and resolves when the person has agreed to join an organization. Closing the
 * window ends the program: there is no tray yet.
 */
export async function askForOrganization({
  options,
  hidden,
  panel,
  window,
  serveCalls,
  log,
}: Asked): Promise<Agreed> {
  const address = `${panel.address}${setupHash}`;
  let link = linkIn(process.argv);
  const { handlers, agreed } = firstRun(
    () => ({ version: app.getVersion(), device: options.name, link }),
    log,
  );
  const offer = (given: string | null): void => {
    if (given !== null) {
      link = given;
      window.goTo(address);
    }
    window.show();
  };
  const onSecond = (_event: unknown, argv: readonly string[]): void => offer(linkIn(argv));
  const onLink = (_event: unknown, url: string): void => offer(url);
  const onAllClosed = (): void => app.exit(0);
  app.on("second-instance", onSecond);
  app.on("open-url", onLink);
  app.on("window-all-closed", onAllClosed);
  serveCalls(answerCalls("setup", handlers, log));
  window.goTo(address);
  // Nobody asked for a window.
  if (hidden && link === null) app.exit(0);
  window.show();
  const organization = await agreed;
  app.off("second-instance", onSecond);
  app.off("open-url", onLink);
  app.off("window-all-closed", onAllClosed);
  return organization;
}

/** The link that opened the program, among its arguments. */
function linkIn(argv: readonly string[]): string | null {
  return argv.find((argument) => argument.startsWith(`${appScheme}://`)) ?? null;
}

import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { appLinks } from "./app-links.ts";

const link = "gleaner://join#join=GLN-7K2M-9QXD-4WHT";
const other = "gleaner://join#join=GLN-2222-2222-2222";

function openUrl(app: EventEmitter, url: string): boolean {
  let isHandled = false;
  app.emit("open-url", { preventDefault: () => (isHandled = true) }, url);
  return isHandled;
}

it("keeps a link that macOS sends before the program is ready", () => {
  const app = new EventEmitter();
  const links = appLinks(app, ["gleaner"]);
  expect(openUrl(app, link)).toBe(true);
  expect(links.takeWaiting()).toEqual({ link });
  expect(links.takeWaiting()).toBeNull();
});

it("finds the link among the arguments of the first start, and of a second one", () => {
  const app = new EventEmitter();
  const links = appLinks(app, ["gleaner", "--no-sandbox", link]);
  expect(links.takeWaiting()).toEqual({ link });
  const heard: (string | null)[] = [];
  links.listen((opened) => heard.push(opened));
  app.emit("second-instance", {}, ["gleaner", other, "--original-process-start-time=1"]);
  app.emit("second-instance", {}, ["gleaner"]);
  app.emit("second-instance", {}, ["gleaner", "--hidden"]);
  openUrl(app, link);
  expect(heard).toEqual([other, null, link]);
  expect(links.takeWaiting()).toBeNull();
});

it("keeps a link that comes while nobody listens, and tells only the latest listener", () => {
  const app = new EventEmitter();
  const links = appLinks(app, []);
  const heard: string[] = [];
  links.listen(() => heard.push("first"));
  links.listen(() => heard.push("second"));
  openUrl(app, link);
  expect(heard).toEqual(["second"]);
  links.listen(null);
  openUrl(app, other);
  expect(links.takeWaiting()).toEqual({ link: other });
});

it("keeps an opening without a link that comes while the program starts", () => {
  const app = new EventEmitter();
  const links = appLinks(app, ["gleaner"]);
  app.emit("second-instance", {}, ["gleaner", "--hidden"]);
  expect(links.takeWaiting()).toBeNull();
  app.emit("second-instance", {}, ["gleaner"]);
  expect(links.takeWaiting()).toEqual({ link: null });
  openUrl(app, link);
  app.emit("second-instance", {}, ["gleaner"]);
  expect(links.takeWaiting()).toEqual({ link });
});

it("takes no address of another scheme", () => {
  const app = new EventEmitter();
  const links = appLinks(app, ["https://example.org/"]);
  openUrl(app, "file:///etc/passwd");
  expect(links.takeWaiting()).toEqual({ link: null });
});

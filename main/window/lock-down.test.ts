import { EventEmitter } from "node:events";
import type { App, Session } from "electron";
import { expect, it, vi } from "vitest";
import { lockDown } from "./lock-down.ts";
import { panelAddress, panelOrigin } from "./panel-address.ts";

type RequestHandler = (contents: null, permission: string, answer: (allowed: boolean) => void) => void;

function lockedDown() {
  const app = new EventEmitter();
  const session = {
    setPermissionRequestHandler: vi.fn<(handler: RequestHandler) => void>(),
    setPermissionCheckHandler: vi.fn<(handler: () => boolean) => void>(),
    setDevicePermissionHandler: vi.fn<(handler: () => boolean) => void>(),
  };
  lockDown(app as App, session as unknown as Session, panelOrigin(true, undefined));
  const setWindowOpenHandler = vi.fn<(handler: () => object) => void>();
  const contents = Object.assign(new EventEmitter(), { setWindowOpenHandler });
  app.emit("web-contents-created", {}, contents);
  const isPrevented = (name: string, event: object): boolean => {
    const preventDefault = vi.fn();
    contents.emit(name, { ...event, preventDefault });
    return preventDefault.mock.calls.length > 0;
  };
  return { session, contents, isPrevented };
}

it("denies every permission", () => {
  const { session } = lockedDown();
  const answer = vi.fn();
  session.setPermissionRequestHandler.mock.calls[0]?.[0](null, "camera", answer);
  expect(answer).toHaveBeenCalledExactlyOnceWith(false);
  expect(session.setPermissionCheckHandler.mock.calls[0]?.[0]()).toBe(false);
  expect(session.setDevicePermissionHandler.mock.calls[0]?.[0]()).toBe(false);
});

it("lets a window navigate only within the panel, and embed or open nothing", () => {
  const { contents, isPrevented } = lockedDown();
  expect(isPrevented("will-navigate", { url: panelAddress })).toBe(false);
  expect(isPrevented("will-navigate", { url: "https://example.org/" })).toBe(true);
  expect(isPrevented("will-frame-navigate", { isMainFrame: false })).toBe(true);
  expect(isPrevented("will-attach-webview", {})).toBe(true);
  expect(contents.setWindowOpenHandler.mock.calls[0]?.[0]()).toEqual({ action: "deny" });
});

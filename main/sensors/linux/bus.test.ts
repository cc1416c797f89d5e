import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { known, type SensedFact, unknown } from "../../../app/facts/facts.ts";
import type { Log } from "../../log.ts";
import { unknownIdle } from "../base/idle.ts";
import type { Sensor } from "../base/sensor.ts";
import { gatherFacts } from "../facts-source.ts";
import { FakeService, hasDbusDaemon, PrivateBus, propertiesOf } from "./bus.fixture.ts";
import { Bus } from "./dbus/bus.ts";
import { busAddress, sharedBus } from "./dbus/buses.ts";
import { logindSensor } from "./dbus/logind.ts";
import { mprisSensor } from "./dbus/mpris.ts";
import { networkManagerSensor } from "./dbus/network-manager.ts";
import { screenSaverSensor } from "./dbus/screen-saver.ts";
import { upowerSensor } from "./dbus/upower.ts";
import { DesktopIdle } from "./idle/desktop-idle.ts";
import { logindIdle } from "./idle/logind-idle.ts";
import { mutterIdle } from "./idle/mutter-idle.ts";
import { otherUsersIdle } from "./idle/other-users-idle.ts";

const soon = { timeout: 60_000, interval: 20 };

describe.runIf(hasDbusDaemon)("sensors on D-Bus", () => {
  let daemon: PrivateBus;
  let bus: Bus;
  const stops: (() => void | Promise<void>)[] = [];

  beforeEach(async () => {
    daemon = await new PrivateBus().start();
    bus = new Bus(daemon.address);
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await daemon.stop();
  });

  const serve = async (
    ...args: Parameters<typeof FakeService.start> extends [unknown, ...infer R] ? R : never
  ) => {
    const service = await FakeService.start(daemon, ...args);
    stops.push(() => service.stop());
    return service;
  };

  async function follow(sensor: Sensor) {
    const facts = gatherFacts({ idle: unknownIdle, others: [sensor] });
    const names = new Set<SensedFact>(sensor.facts);
    await facts.start({ facts: names, programs: [], running: false }, () => undefined);
    stops.push(() => facts.stop());
    return facts;
  }

  const upower = "org.freedesktop.UPower";
  const upowerPath = "/org/freedesktop/UPower";
  const startUpower = async (values: Record<string, boolean>, percentage = 80) => {
    const device = { IsPresent: true, Percentage: percentage };
    const service = await serve(upower, {
      [upowerPath]: {
        name: upower,
        properties: propertiesOf(values, { OnBattery: "b", LidIsPresent: "b", LidIsClosed: "b" }),
      },
      [`${upowerPath}/devices/DisplayDevice`]: {
        name: `${upower}.Device`,
        properties: propertiesOf(device, { IsPresent: "b", Percentage: "d" }),
      },
    });
    return { service, device };
  };

  it("learns of mains, battery and lid from UPower's signals", async () => {
    const { service } = await startUpower({ OnBattery: false, LidIsPresent: true, LidIsClosed: false });
    const facts = await follow(upowerSensor(bus));
    await vi.waitFor(() => {
      expect(facts.read()).toMatchObject({
        power: known("ac"),
        batteryPercent: known(80),
        lidClosed: known(false),
      });
    }, soon);
    service.changed(upowerPath, upower, { OnBattery: true });
    service.changed(`${upowerPath}/devices/DisplayDevice`, `${upower}.Device`, { Percentage: 41.6 });
    await vi.waitFor(() => {
      expect(facts.read()).toMatchObject({ power: known("battery"), batteryPercent: known(42) });
    }, soon);
    service.changed(upowerPath, upower, { LidIsClosed: true });
    await vi.waitFor(() => expect(facts.read().lidClosed).toEqual(known(true)), soon);
    expect(facts.readings().power.source).toBe("UPower");
  });

  it("knows no facts of a service that is not running, and all of them once it starts", async () => {
    const facts = await follow(upowerSensor(bus));
    expect(facts.read().power).toEqual(unknown);
    const { service } = await startUpower({ OnBattery: true, LidIsPresent: false, LidIsClosed: false });
    await vi.waitFor(() => expect(facts.read().power).toEqual(known("battery")), soon);
    expect(facts.read().lidClosed).toEqual(unknown);
    await service.stop();
    await vi.waitFor(() => expect(facts.read().power).toEqual(unknown), soon);
  });

  it("reconnects after the bus was restarted", async () => {
    const first = await startUpower({ OnBattery: false, LidIsPresent: false, LidIsClosed: false });
    const facts = await follow(upowerSensor(bus));
    await vi.waitFor(() => expect(facts.read().power).toEqual(known("ac")), soon);
    await daemon.kill();
    await vi.waitFor(() => expect(facts.read().power).toEqual(unknown), soon);
    await first.service.stop();
    await daemon.start();
    const { service } = await startUpower({ OnBattery: true, LidIsPresent: false, LidIsClosed: false });
    await vi.waitFor(() => expect(facts.read().power).toEqual(known("battery")), soon);
    service.changed(upowerPath, upower, { OnBattery: false });
    await vi.waitFor(() => expect(facts.read().power).toEqual(known("ac")), soon);
  });

  const login = "org.freedesktop.login1";
  const loginPath = "/org/freedesktop/login1";
  const startLogind = async () => {
    const state = {
      sessions: [["2", 4242, "ada", "seat0", `${loginPath}/session/_32`]] as readonly unknown[],
      manager: { IdleHint: false, IdleSinceHint: 0n, LidClosed: true, PreparingForSleep: false },
      session: { LockedHint: false, Active: true },
    };
    const service = await serve(login, {
      [loginPath]: {
        name: `${login}.Manager`,
        methods: { ListSessions: { out: { sessions: "a(susso)" }, handler: () => state.sessions } },
        properties: propertiesOf(state.manager, {
          IdleHint: "b",
          IdleSinceHint: "t",
          LidClosed: "b",
          PreparingForSleep: "b",
        }),
        signals: {
          PrepareForSleep: { args: { start: "b" } },
          SessionNew: { args: { id: "s", path: "o" } },
          SessionRemoved: { args: { id: "s", path: "o" } },
        },
      },
      [`${loginPath}/session/_32`]: {
        name: `${login}.Session`,
        properties: propertiesOf(state.session, { LockedHint: "b", Active: "b" }),
      },
    });
    return { state, service };
  };

  it("learns of lock and sleep from logind's signals, and asks it for the lid", async () => {
    const { service } = await startLogind();
    const facts = await follow(logindSensor(bus, 4242));
    await vi.waitFor(() => {
      expect(facts.read()).toMatchObject({ locked: known(false), lidClosed: known(true), suspended: false });
    }, soon);
    service.changed(`${loginPath}/session/_32`, `${login}.Session`, { LockedHint: true });
    await vi.waitFor(() => expect(facts.read().locked).toEqual(known(true)), soon);
    service.signal(loginPath, `${login}.Manager`, "PrepareForSleep", true);
    await vi.waitFor(() => expect(facts.read().suspended).toBe(true), soon);
    service.signal(loginPath, `${login}.Manager`, "PrepareForSleep", false);
    await vi.waitFor(() => expect(facts.read().suspended).toBe(false), soon);
  });

  it("does not know the lock before its user logs in, and finds the session then", async () => {
    const { state, service } = await startLogind();
    const mine = state.sessions;
    state.sessions = [];
    const facts = await follow(logindSensor(bus, 4242));
    await vi.waitFor(() => expect(facts.read().lidClosed).toEqual(known(true)), soon);
    expect(facts.read().locked).toEqual(unknown);
    state.sessions = mine;
    service.signal(loginPath, `${login}.Manager`, "SessionNew", "2", `${loginPath}/session/_32`);
    await vi.waitFor(() => expect(facts.read().locked).toEqual(known(false)), soon);
    state.sessions = [];
    service.signal(loginPath, `${login}.Manager`, "SessionRemoved", "2", `${loginPath}/session/_32`);
    await vi.waitFor(() => expect(facts.read().locked).toEqual(unknown), soon);
  });

  it("reads logind's idle hint without a desktop", async () => {
    const { service } = await startLogind();
    let inputs = 0;
    let stepMs = 0;
    const clocks = { wall: () => Date.now() + stepMs, steady: () => performance.now() };
    const idle = logindIdle(bus, clocks);
    idle.start?.(() => undefined);
    stops.push(() => idle.stop?.());
    idle.onInput?.(() => (inputs += 1));
    await vi.waitFor(() => expect(idle.sample()).toEqual(known(0)), soon);
    const sinceUs = BigInt(Date.now() - 400_000) * 1_000n;
    service.changed(loginPath, `${login}.Manager`, { IdleHint: true, IdleSinceHint: sinceUs });
    await vi.waitFor(() => {
      const seconds = idle.sample();
      expect(seconds.known && seconds.value >= 400 && seconds.value < 430).toBe(true);
    }, soon);
    // The clock is set back an hour.
    stepMs = -3_600_000;
    expect(idle.sample()).toMatchObject({ value: expect.closeTo(400, -2) as unknown });
    service.changed(loginPath, `${login}.Manager`, { IdleHint: false });
    await vi.waitFor(() => expect(inputs).toBe(1), soon);
  });

  it("counts a switch of users as input, and asks logind while another user is in front", async () => {
    const { state, service } = await startLogind();
    const session = [`${loginPath}/session/_32`, `${login}.Session`] as const;
    let inputs = 0;
    const idle = otherUsersIdle(bus, 4242);
    idle.start?.(() => undefined);
    stops.push(() => idle.stop?.());
    idle.onInput?.(() => (inputs += 1));
    expect(idle.sample()).toEqual(unknown);
    // Once the service was asked for its properties, the watch is active.
    await vi.waitFor(() => {
      state.session.Active = false;
      service.changed(...session, { Active: false });
      expect([inputs, idle.sample()]).toEqual([1, known(0)]);
    }, soon);
    state.session.Active = true;
    service.changed(...session, { Active: true });
    await vi.waitFor(() => expect([inputs, idle.sample()]).toEqual([2, unknown]), soon);
  });

  it("learns from NetworkManager whether the network is metered, and its name", async () => {
    const name = "org.freedesktop.NetworkManager";
    const path = "/org/freedesktop/NetworkManager";
    const manager = { Metered: 4, ActiveConnections: [`${path}/ActiveConnection/7`] };
    const connection = { Id: "Office Wi-Fi", Type: "802-11-wireless", Vpn: false };
    const service = await serve(name, {
      [path]: { name, properties: propertiesOf(manager, { Metered: "u", ActiveConnections: "ao" }) },
      [`${path}/ActiveConnection/7`]: {
        name: `${name}.Connection.Active`,
        properties: propertiesOf(connection, { Id: "s", Type: "s", Vpn: "b" }),
      },
    });
    const facts = await follow(networkManagerSensor(bus));
    await vi.waitFor(() => {
      const { metered, networks } = facts.read();
      expect(metered).toEqual(known(false));
      expect(networks.known && networks.value).toContain("Office Wi-Fi");
    }, soon);
    service.changed(path, name, { Metered: 1 });
    await vi.waitFor(() => expect(facts.read().metered).toEqual(known(true)), soon);
    service.changed(path, name, { Metered: 0, ActiveConnections: [] });
    await vi.waitFor(() => {
      const { metered, networks } = facts.read();
      expect(metered).toEqual(unknown);
      expect(networks.known && networks.value).not.toContain("Office Wi-Fi");
    }, soon);
  });

  it("sees media players start, play, pause and end", async () => {
    const player = { PlaybackStatus: "Paused" };
    const facts = await follow(mprisSensor(bus));
    expect(facts.read().mediaPlaying).toEqual(known(false));
    const service = await serve("org.mpris.MediaPlayer2.test", {
      "/org/mpris/MediaPlayer2": {
        name: "org.mpris.MediaPlayer2.Player",
        properties: propertiesOf(player, { PlaybackStatus: "s" }),
      },
    });
    const say = (status: string): void => {
      player.PlaybackStatus = status;
      service.changed("/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player", { PlaybackStatus: status });
    };
    say("Playing");
    await vi.waitFor(() => expect(facts.read().mediaPlaying).toEqual(known(true)), soon);
    say("Paused");
    await vi.waitFor(() => expect(facts.read().mediaPlaying).toEqual(known(false)), soon);
    say("Playing");
    await vi.waitFor(() => expect(facts.read().mediaPlaying).toEqual(known(true)), soon);
    await service.stop();
    await vi.waitFor(() => expect(facts.read().mediaPlaying).toEqual(known(false)), soon);
  });

  it("learns of the lock from a desktop's screen saver", async () => {
    const state = { active: false };
    const name = "org.xfce.ScreenSaver";
    const service = await serve(name, {
      "/org/xfce/ScreenSaver": {
        name,
        methods: { GetActive: { out: { active: "b" }, handler: () => state.active } },
        signals: { ActiveChanged: { args: { active: "b" } } },
      },
    });
    const facts = await follow(screenSaverSensor(bus));
    expect(facts.read().locked).toEqual(known(false));
    service.signal("/org/xfce/ScreenSaver", name, "ActiveChanged", true);
    await vi.waitFor(() => expect(facts.read().locked).toEqual(known(true)), soon);
  });

  it("follows GNOME's idle monitor, and uses the fallback while it is not running", async () => {
    const name = "org.gnome.Mutter.IdleMonitor";
    const path = "/org/gnome/Mutter/IdleMonitor/Core";
    const watches = { last: 0, quiet: 0, active: 0, removed: [] as number[] };
    const serveMutter = () =>
      serve(name, {
        [path]: {
          name,
          methods: {
            GetIdletime: { out: { ms: "t" }, handler: () => 500n },
            AddIdleWatch: {
              in: { ms: "t" },
              out: { id: "u" },
              handler: () => (watches.quiet = watches.last += 1),
            },
            AddUserActiveWatch: { out: { id: "u" }, handler: () => (watches.active = watches.last += 1) },
            RemoveWatch: {
              in: { id: "u" },
              handler: ({ id }: { id: number }) => void watches.removed.push(id),
            },
          },
          signals: { WatchFired: { args: { id: "u" } } },
        },
      });
    const service = await serveMutter();
    let inputs = 0;
    const fallback = { source: () => "fall-back", sample: () => known(7), isPolled: () => true };
    const idle = new DesktopIdle([mutterIdle(bus)], fallback);
    idle.start(() => undefined);
    stops.push(() => idle.stop());
    idle.onInput(() => (inputs += 1));
    await vi.waitFor(() => expect(idle.source()).toBe("GNOME's IdleMonitor"), soon);
    expect([idle.sample(), idle.isPolled()]).toEqual([known(0), false]);

    service.signal(path, name, "WatchFired", watches.quiet);
    await vi.waitFor(() => {
      const seconds = idle.sample();
      expect(seconds.known && seconds.value >= 2).toBe(true);
      expect(watches.active).toBeGreaterThan(0);
    }, soon);
    service.signal(path, name, "WatchFired", watches.active);
    await vi.waitFor(() => expect([inputs, idle.sample()]).toEqual([1, known(0)]), soon);

    await service.stop();
    await vi.waitFor(() => expect([idle.source(), idle.sample()]).toEqual(["fall-back", known(7)]), soon);
    expect(idle.isPolled()).toBe(true);
  });

  it("answers null for a missing service or bus", async () => {
    const absent = { service: "org.example.Absent", path: "/org/example", interface: "org.example.Absent" };
    expect(await bus.properties(absent)).toBeNull();
    expect(await new Bus(null).properties(absent)).toBeNull();
    expect(await new Bus("unix:path=/nowhere/at/all").call(absent, "Hello")).toBeNull();
  });
});

describe("an address without a bus behind it", () => {
  const absent = { service: "org.example.Absent", path: "/org/example", interface: "org.example.Absent" };

  it.each([
    ["hangs", (): void => undefined],
    [
      "speaks something else",
      (socket: Socket): void => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ],
    ["hangs up", (socket: Socket): void => void socket.destroy()],
  ])(
    "counts as no bus if the other side %s",
    async (_what, greet) => {
      const folder = await mkdtemp(join(tmpdir(), "gleaner-no-bus-"));
      const server = createServer(greet);
      await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
      const bus = new Bus(`unix:path=${join(folder, "socket")}`);
      expect(await bus.properties(absent)).toBeNull();
      server.close();
      await rm(folder, { recursive: true });
    },
    20_000,
  );
});

describe("busAddress", () => {
  const everything = (): boolean => true;
  const nothing = (): boolean => false;

  it("takes a bus address from its variable, or from the usual path if that exists", () => {
    expect(busAddress("session", { DBUS_SESSION_BUS_ADDRESS: "unix:abstract=/x" }, nothing)).toBe(
      "unix:abstract=/x",
    );
    expect(busAddress("session", { XDG_RUNTIME_DIR: "/run/user/7" }, everything)).toBe(
      "unix:path=/run/user/7/bus",
    );
    expect(busAddress("session", {}, everything)).toBeNull();
    expect(busAddress("system", {}, everything)).toBe("unix:path=/run/dbus/system_bus_socket");
    expect(busAddress("system", {}, nothing)).toBeNull();
  });

  it.each([
    "unixexec:path=/bin/sh,argv1=-c,argv2=id",
    "UNIXEXEC:path=/bin/sh",
    "launchd:env=DBUS_LAUNCHD_SESSION_BUS_SOCKET",
    "tcp:host=elsewhere,port=1",
    "autolaunch:",
    "unix:runtime=yes",
    "unix:",
    "nonsense",
  ])("does not use the address %s, and asks for no other", (given) => {
    const env = { DBUS_SESSION_BUS_ADDRESS: given, DBUS_SYSTEM_BUS_ADDRESS: given };
    expect(busAddress("session", env, everything)).toBe("unsupported");
    expect(busAddress("system", env, everything)).toBe("unsupported");
  });

  it("takes the sockets from a list of addresses", () => {
    const list = "unixexec:path=/bin/sh;unix:path=/a,guid=1;tcp:port=1;unix:guid=2,abstract=/b";
    const only = "unix:path=/a,guid=1;unix:guid=2,abstract=/b";
    expect(busAddress("session", { DBUS_SESSION_BUS_ADDRESS: list }, nothing)).toBe(only);
  });

  it("says in the log, once, that an address is not supported", () => {
    const logged: unknown[] = [];
    const log: Log = (level, event, fields) => logged.push([level, event, fields]);
    const env = { DBUS_SESSION_BUS_ADDRESS: "unixexec:path=/bin/false" };
    expect(sharedBus("session", env, log).isThere).toBe(false);
    expect(sharedBus("session", env, log).isThere).toBe(false);
    expect(logged).toEqual([["warn", "dbus.address-unsupported", { bus: "session", use: "unix:path=…" }]]);
  });
});
